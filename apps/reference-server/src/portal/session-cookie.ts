/**
 * The session cookie. Behind HTTPS it is `__Host-`: set by this host alone, for this host alone, over HTTPS alone. Plain
 * HTTP is served on loopback only, where browsers take no `Secure` cookie from an address; there it has a name of its own.
 */
export interface SessionCookie {
  readonly name: string
  /** `Set-Cookie` that keeps an id until the browser closes. */
  set(id: string): string
  /** `Set-Cookie` that removes it. */
  clear(): string
  /** The id in a `Cookie` header; null when there is none. */
  read(header: string | undefined): string | null
}

/** The cookie for requests with this `Host` header. */
export function sessionCookie(host: string | undefined, purpose: 'session' | 'sign-in' = 'session'): SessionCookie {
  const secure = !isLoopbackHost(host ?? '')
  const name = `${secure ? '__Host-' : ''}kyc_relay_${purpose === 'session' ? 'portal' : 'sign_in'}`
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  return {
    name,
    set: (id) => `${name}=${id}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    read(header) {
      for (const pair of (header ?? '').split(';')) {
        const [key, value] = pair.trim().split('=', 2)
        if (key === name && value !== undefined && /^[A-Za-z0-9_-]{1,200}$/.test(value)) return value
      }
      return null
    },
  }
}

/** Whether a `Host` header names this machine by itself. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}
