export {
  createNodeWebhookHandler,
  receiveNodeWebhook,
  type NodeWebhookHandlerOptions,
  type NodeWebhookRequest,
} from './node-receiver.js'
