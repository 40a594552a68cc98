export {
  scopesWithin,
  type AccessTokenRow,
  type ApiKeyRow,
  type AppDirectory,
  type Grant,
  type SealedApiKeyReplacement,
  type SignIn,
} from './app-directory.js'
export type { EndpointHeadersStore } from '../webhooks/sealed-headers.js'
