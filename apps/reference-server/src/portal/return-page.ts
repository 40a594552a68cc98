import type { SessionHolder } from './sessions.js'

/** A page of this portal: never another site, and never signing in or out. */
const portalPage = /^\/portal\/(?:webhooks|deliveries|keys|kyc)(?:\/[\w-]+)*(?:\?[\w.~!*'()%&=+:-]*)?$/

/** Returns the page to show after signing in; null if the given one is not a page of this portal. */
export function returnPage(given: string | null | undefined): string | null {
  return given != null && given.length <= 2000 && portalPage.test(given) ? given : null
}

/** The sign-in page that leads back. */
export function signInPath(page: string | null, form: 'app' | 'operator' = 'app'): string {
  const path = form === 'app' ? '/portal/sign-in' : '/portal/sign-in/operator'
  return page === null ? path : `${path}?next=${encodeURIComponent(page)}`
}

/** The page after signing in: the one that was asked for, if this holder may see it. */
export function pageAfterSignIn(given: string | null | undefined, { kind }: SessionHolder): string {
  const page = returnPage(given)
  const isOperators = page?.startsWith('/portal/kyc') === true
  return page !== null && isOperators === (kind === 'operator') ? page : '/portal'
}
