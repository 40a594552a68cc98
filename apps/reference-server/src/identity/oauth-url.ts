/** HTTPS without credentials or fragment; HTTP on loopback where that is allowed. */
export function isAllowedOauthUrl(url: URL, allowLoopbackHttp: boolean): boolean {
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false
  if (url.protocol === 'https:') return true
  return allowLoopbackHttp && url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
}
