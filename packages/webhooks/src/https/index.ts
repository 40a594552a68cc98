export { isPublicAddress } from './address-policy.js'
export { checkEndpointUrl, type EndpointUrlPolicy, type EndpointUrlRefusal } from './endpoint-url.js'
export { createHttpsDownloader, isDownloadUrl, type Downloader, type DownloadResult } from './https-downloader.js'
export { createHttpsSender } from './https-sender.js'
