export { scopesWithin, type ApiKeyRow, type AppDirectory } from './app-directory.js'
export type { EndpointHeadersStore } from '../webhooks/sealed-headers.js'
