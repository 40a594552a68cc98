/**
 * Headers of every answer of every listener. A browser heeds the first one only over TLS (RFC 6797 §8.1), so that it may
 * stand on a plain listener too: the proxy in front of it ends TLS.
 */
export const securityHeaders = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
} as const
