import type { PortalKind } from './session-cookie.js'

/** A page of this portal: never another site, and never signing in or out. */
const portalPage = /^\/portal\/(?:webhooks|deliveries|events|keys|kyc)(?:\/[\w-]+)*(?:\?[\w.~!*'()%&=+:-]*)?$/

/** Returns the page to show after signing in; null if the given one is not a page of this portal. */
export function returnPage(given: string | null | undefined): string | null {
  return given != null && given.length <= 2000 && portalPage.test(given) ? given : null
}

/** Forms with a page of their own; the others are on the page above them. */
const formPage = /\/(?:new|change|remove|test|recover|revoke)$/

/** Returns the page of a form that was sent after the session had ended. `kept-form.ts` has what was filled in. */
export function returnPageOfForm(path: string): string | null {
  return returnPage(formPage.test(path) ? path : path.slice(0, path.lastIndexOf('/')))
}

/** The sign-in page that leads back. */
export function signInPath(page: string | null): string {
  return page === null ? '/portal/sign-in' : `/portal/sign-in?next=${encodeURIComponent(page)}`
}

/** The page after signing in: the one that was asked for, if it is of this portal. */
export function pageAfterSignIn(given: string | null | undefined, kind: PortalKind): string {
  const page = returnPage(given)
  const isOperators = page?.startsWith('/portal/kyc') === true
  return page !== null && isOperators === (kind === 'operator') ? page : '/portal'
}
