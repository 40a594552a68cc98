export { isPublicAddress } from './address-policy.js'
export { checkEndpointUrl, type EndpointUrlPolicy, type EndpointUrlRefusal } from './endpoint-url.js'
export { createHttpsSender } from './https-sender.js'
