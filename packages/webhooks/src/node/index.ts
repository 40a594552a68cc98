export { createNodeWebhookHandler, receiveNodeWebhook } from './node-receiver.js'
