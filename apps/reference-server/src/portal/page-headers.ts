/** Directives of the content security policy of every page. One that is null is absent. */
const directives = {
  'default-src': "'none'",
  'style-src': "'self'",
  'script-src': "'self'",
  'img-src': "'self'",
  'font-src': null,
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

/** Creates the headers of a page that needs other directives than every page. */
export function pageHeadersWith(
  others: Readonly<Partial<Record<keyof typeof directives, string>>>,
): Readonly<Record<string, string>> {
  return {
    'content-security-policy': Object.entries({ ...directives, ...others })
      .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
      .join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
  }
}

/**
 * Headers of every page. A page loads only its own style sheet and script, cannot be framed or cached, and sends no
 * referrer to other sites. With `no-referrer`, browsers would send forms with `Origin: null`.
 */
export const pageHeaders = pageHeadersWith({})
