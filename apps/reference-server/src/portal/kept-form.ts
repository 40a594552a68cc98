import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { withoutValues } from './header-lines.js'
import type { PortalContext } from './portal-context.js'
import { cookieOptions } from './session-cookie.js'

/** Fields of the form of a URL that are kept. */
const keptFields = ['appId', 'url', 'description', 'eventTypes', 'standardWebhooks', 'removeHeaders']

/** Forms that are kept; the others have little to fill in. */
const keptForms = /^\/portal\/webhooks\/(?:[\w-]+\/change|new)$/

const name = 'kyc_relay_form'
const maxAge = 15 * 60
/** Browsers drop a cookie of more than 4,096 bytes. */
const mostBytes = 3_800
/** Field that stands for the others when they are too large. */
const tooLarge = 'tooLarge'

/**
 * Keeps a form that was sent after its session had ended, in a cookie of the browser that sent it. No address contains
 * it: the path of a URL may hold a secret, and addresses are logged.
 */
export function keepForm(c: PortalContext, form: URLSearchParams): void {
  if (!keptForms.test(c.req.path)) return
  const fields = new URLSearchParams([...form].filter(([field]) => keptFields.includes(field)))
  fields.set('headers', withoutValues(form.get('headers') ?? ''))
  fields.set('page', c.req.path)
  const written = write(fields)
  const appId = form.get('appId')?.slice(0, 36) ?? ''
  const value =
    written.length <= mostBytes ? written : write(new URLSearchParams({ appId, page: c.req.path, [tooLarge]: '' }))
  setCookie(c, name, value, { ...cookieOptions(c), maxAge })
}

/**
 * Returns the form that was kept for this page, once, or that it was too large to be kept. Only the app that filled it in
 * gets it.
 */
export function takeForm(c: PortalContext, appId: string): URLSearchParams | 'too_large' | null {
  const fields = read(c)
  if (fields?.get('page') !== c.req.path) return null
  drop(c)
  if (fields.get('appId') !== appId) return null
  return fields.has(tooLarge) ? 'too_large' : fields
}

/**
 * Drops a form that was kept, unless its page is shown next. Call it at each sign-in and sign-out: whoever uses the
 * browser next must not see what somebody else filled in.
 */
export function dropFormUnlessFor(c: PortalContext, page: string): void {
  const kept = read(c)?.get('page')
  if (kept !== undefined && kept !== page) drop(c)
}

const write = (fields: URLSearchParams) => Buffer.from(fields.toString()).toString('base64url')

function read(c: PortalContext): URLSearchParams | null {
  const value = getCookie(c, name, cookieOptions(c).prefix)
  return value === undefined ? null : new URLSearchParams(Buffer.from(value, 'base64url').toString())
}

function drop(c: PortalContext): void {
  deleteCookie(c, name, cookieOptions(c))
}
