export { createNodeWebhookHandler, receiveNodeWebhook, type NodeWebhookHandlerOptions } from './node-receiver.js'
