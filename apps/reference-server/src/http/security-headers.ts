/**
 * Headers of every response. Browsers apply the first one only over TLS (RFC 6797 §8.1). A plain listener sends it too
 * because a proxy may terminate TLS.
 */
export const securityHeaders = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
} as const
