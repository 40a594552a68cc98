export { isPublicAddress } from './address-policy.js'
export type { Connection, Dial } from './connection.js'
export { checkEndpointUrl, type EndpointUrlPolicy, type EndpointUrlRefusal } from './endpoint-url.js'
export type { GuardedConnectionOptions } from './guarded-connection.js'
export {
  createHttpsDownloader,
  type DownloadCause,
  type Downloader,
  type DownloadRequest,
  type DownloadResult,
  type HttpsDownloaderOptions,
} from './https-downloader.js'
export { createHttpsSender, type HttpsSenderOptions } from './https-sender.js'
export { createNameResolver, type NameResolver, type NameResolverOptions, type Resolution } from './resolver.js'
