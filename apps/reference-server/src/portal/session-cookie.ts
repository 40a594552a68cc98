import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'

/** A cookie that holds a random id until the browser closes. */
export interface SessionCookie {
  /** The id; null if the browser sent none. */
  read(): string | null
  set(id: string): void
  clear(): void
}

/** The portal of apps, on the standard API, or that of operators, on the internal API. */
export type PortalKind = 'app' | 'operator'

/**
 * Names of the cookies. Browsers send the cookies of one port to all ports of a host, so two portals on one machine need
 * different names.
 */
const cookieNames = {
  app: { session: 'kyc_relay_portal', 'sign-in': 'kyc_relay_sign_in' },
  operator: { session: 'kyc_relay_operator', 'sign-in': 'kyc_relay_operator_sign_in' },
} as const

/**
 * Options of the portal's cookies.
 *
 * Behind HTTPS it is `__Host-`: only this host can set and read it, over HTTPS. Plain HTTP is served on loopback only,
 * where browsers refuse a `Secure` cookie from an address; there the cookie has no prefix.
 */
export function cookieOptions(c: Context): CookieOptions {
  const prefix = isLoopbackHost(c.req.header('host') ?? '') ? {} : ({ prefix: 'host', secure: true } as const)
  return { path: '/', httpOnly: true, sameSite: 'Strict', ...prefix }
}

/** The session cookie of this request and its answer. */
export function sessionCookie(c: Context, kind: PortalKind, purpose: 'session' | 'sign-in' = 'session'): SessionCookie {
  const name = cookieNames[kind][purpose]
  const options = cookieOptions(c)
  return {
    read() {
      const id = getCookie(c, name, options.prefix)
      return id !== undefined && /^[A-Za-z0-9_-]{1,200}$/.test(id) ? id : null
    },
    set: (id) => setCookie(c, name, id, options),
    clear: () => void deleteCookie(c, name, options),
  }
}

/** Checks whether a `Host` header is a loopback name. */
function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}
