import type { PortalKind } from './session-cookie.js'

/** A page of this portal: never another site, and never signing in or out. */
const portalPage = /^\/portal\/(?:webhooks|deliveries|events|keys|kyc)(?:\/[\w-]+)*(?:\?[\w.~!*'()%&=+:-]*)?$/

/** Returns the page to show after signing in; null if the given one is not a page of this portal. */
export function returnPage(given: string | null | undefined): string | null {
  return given != null && given.length <= 2000 && portalPage.test(given) ? given : null
}

/** Forms with a page of their own; the others are on the page above them. */
const formPage = /\/(?:new|change|remove|test|recover|revoke)$/

/**
 * Fields of the form of a URL that may stand in an address. Static headers are secrets, and the query of a URL may hold one,
 * so these are typed again.
 */
const keptFields = ['url', 'description', 'eventTypes', 'standardWebhooks']

/** Returns the page of a form that was sent after the session had ended, with what was filled in. */
export function returnPageOfForm(path: string, form: URLSearchParams): string | null {
  const page = formPage.test(path) ? path : path.slice(0, path.lastIndexOf('/'))
  const kept = /\/(?:new|change)$/.test(path)
    ? [...form].filter(([name, value]) => keptFields.includes(name) && !(name === 'url' && value.includes('?')))
    : []
  const query = new URLSearchParams(kept).toString()
  return returnPage(query === '' ? page : `${page}?${query}`) ?? returnPage(page)
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
