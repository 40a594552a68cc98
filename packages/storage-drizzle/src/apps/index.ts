export {
  scopesWithin,
  type AccessTokenRow,
  type ApiKeyRow,
  type AppDirectory,
  type Grant,
  type SealedApiKeyReplacement,
  type SignIn,
} from './app-directory.js'
