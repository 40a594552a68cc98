import type { Context, MiddlewareHandler } from 'hono'
import type { FailedAuthentications } from '../identity/failed-authentications.js'
import { pageHeaders } from './page-headers.js'
import type { EdgeEnv } from '../http/request-context.js'
import { equalSecrets } from '../sha256.js'
import { readForm } from './form-body.js'
import { keepForm } from './kept-form.js'
import { ProblemPage } from './pages/problem-page.js'
import { SignInPage } from './pages/sign-in-page.js'
import { mayComeFromOurPages } from './same-origin.js'
import { returnPage, returnPageOfForm, signInPath } from './return-page.js'
import { sessionCookie, type PortalKind } from './session-cookie.js'
import { formToken, type Notice, type OperatorHolder, type Session, type Sessions } from './sessions.js'

/** Values in Hono's context for handlers of the portal. */
export interface PortalEnv {
  Bindings: EdgeEnv['Bindings']
  Variables: {
    /** Session of the user; set for every page except sign-in. */
    session: Session
    /** What the session may do; set with it. */
    access: Access
    /** Fields of the form; set for every POST. */
    form: URLSearchParams
  }
}

/** A session with an API key that is being retired may only read. */
type Access = 'ACTING' | 'READING'

export type PortalContext = Context<PortalEnv>

/** A JSX element. */
type Page = Parameters<PortalContext['html']>[0]

const render = (c: PortalContext, page: Page, status: number) => c.html(page, status as 200, { ...pageHeaders })

/** Sends a page and clears the message that it has shown. */
export async function sendPage(c: PortalContext, page: Page, status = 200): Promise<Response> {
  const response = await render(c, page, status)
  const session = c.get('session') as Session | undefined
  if (session !== undefined && session.notice !== null) await session.flash(null)
  return response
}

/** Matches the id in the path of a route. `idInPath` reads it. */
export const uuidPattern = '[0-9A-Fa-f-]{36}'

/** Returns an id of the path in lower case: both spellings of a UUID mean the same (RFC 9562, section 4). */
export const idInPath = (c: PortalContext, name: string): string => (c.req.param(name) ?? '').toLowerCase()

/** Redirects to a GET after an action, so that a reload repeats nothing. */
export function seeOther(c: PortalContext, path: string): Response {
  return c.body(null, 303, { location: path, 'cache-control': 'no-store' })
}

/** Redirects as `seeOther` does. The next page shows the message. */
export async function seeOtherWithNotice(c: PortalContext, path: string, notice: Notice): Promise<Response> {
  await c.get('session').flash(notice)
  return seeOther(c, path)
}

const problems = {
  403: [
    'Not done',
    'This form does not come from a page of this portal, or its page is too old. Go back and try again.',
  ],
  retiring: [
    'Not done',
    'You signed in with an API key that is being retired. It allows only reading. Sign out, then sign in with the new key.',
  ],
  purpose: ['Not done', 'Open the sealed record again, with a purpose.'],
  right: ['Not allowed', 'Your operator account lacks the right for this page.'],
  404: ['Not found', 'This page does not exist, or it belongs to another application.'],
  405: ['Not done', 'This address does not accept this method.'],
  413: ['Not done', 'The form is larger than allowed.'],
  415: ['Not done', 'Send a form.'],
  429: ['Too many attempts', 'Wait a minute, then try again.'],
  500: ['Something failed', 'The action failed. It is safe to try again.'],
  503: ['Not now', 'The service is temporarily unavailable. Try again in a minute.'],
} as const

const namedProblems = { retiring: 403, right: 403, purpose: 400 } as const

/** Sends a page with the reason of a failure. It shows no message, so the message stays for the next page. */
export async function sendProblem(c: PortalContext, status: keyof typeof problems): Promise<Response> {
  const [title, text] = problems[status]
  const page = <ProblemPage title={title} text={text} requestId={c.env.requestId} />
  return render(c, page, typeof status === 'string' ? namedProblems[status] : status)
}

/** Refuses requests that another site could trigger, then reads the form. */
export const acceptForm: MiddlewareHandler<PortalEnv> = async (c, next) => {
  const { method } = c.req
  if (method === 'GET' || method === 'HEAD') return next()
  if (method !== 'POST') {
    c.header('allow', 'GET, HEAD, POST')
    return sendProblem(c, 405)
  }
  if (!mayComeFromOurPages(c.req.header())) return sendProblem(c, 403)
  const form = await readForm(c)
  if (form === 'not_a_form' || form === 'cut_off') return sendProblem(c, 415)
  if (form === 'too_large') return sendProblem(c, 413)
  c.set('form', form)
  return next()
}

/** What one portal knows of its users. */
export interface PortalGuard {
  readonly kind: PortalKind
  readonly sessions: Sessions
  readonly signIn: SignInForms
  readonly failures: FailedAuthentications
  /** Returns whether a session may act; null if it has ended with its key. */
  readonly findAccess: (session: Session) => Promise<Access | null>
}

/** The listener of a portal. */
export const listenerOf = (kind: PortalKind): 'api' | 'internal' => (kind === 'app' ? 'api' : 'internal')

/** Requires a session of this portal. A form must have the token of its session. */
export function requireSession(guard: PortalGuard): MiddlewareHandler<PortalEnv> {
  const { kind } = guard
  return async (c, next) => {
    const { method } = c.req
    const cookie = sessionCookie(c, kind)
    const id = cookie.read()
    if (id === null && method !== 'POST') return seeOther(c, signInPath(pageOf(c)))
    const session = id === null ? null : await guard.sessions.find(id)
    const access = session?.holder.kind === kind ? await guard.findAccess(session) : null
    if (session === null || access === null) {
      const requestId = c.env.requestId
      if (id !== null) {
        guard.failures.note({ listener: listenerOf(kind), reason: 'SESSION_INVALID', requestId })
        await guard.sessions.end(id)
      }
      cookie.clear()
      if (method === 'POST') keepForm(c, c.get('form'))
      return guard.signIn.send(c, 'You are not signed in, or your session has ended. Sign in again.', 401)
    }
    if (method === 'POST' && !equalSecrets(c.get('form').get('csrf') ?? '', session.csrfToken))
      return sendProblem(c, 403)
    c.set('session', session)
    c.set('access', access)
    // Signing out needs no right of the key.
    if (method === 'POST' && access === 'READING' && c.req.path !== '/portal/sign-out')
      return sendProblem(c, 'retiring')
    return next()
  }
}

/** Ends the session of a browser. */
export async function endSession(c: PortalContext, { kind, sessions }: PortalGuard): Promise<void> {
  const cookie = sessionCookie(c, kind)
  await sessions.end(cookie.read() ?? '')
  cookie.clear()
}

/** The app of a session of the developers' portal. */
export function appIdOf(c: PortalContext): string {
  const { holder } = c.get('session')
  if (holder.kind !== 'app') throw new Error('the session is not of an app')
  return holder.appId
}

/** The operator of a session of the operators' portal. */
export function operatorOf(c: PortalContext): OperatorHolder {
  const { holder } = c.get('session')
  if (holder.kind !== 'operator') throw new Error('the session is not of an operator')
  return holder
}

/** The fields of a form; undefined for a page. */
const formOf = (c: PortalContext) => c.get('form') as URLSearchParams | undefined

/** The page that a request asks for, or that has the form which was sent. */
function pageOf(c: PortalContext): string | null {
  const { pathname, search } = new URL(c.req.url)
  return formOf(c) === undefined ? returnPage(`${pathname}${search}`) : returnPageOfForm(pathname)
}

/** Tokens of the sign-in forms. */
export interface SignInForms {
  /**
   * Sends the form, with a message or null. With status 200, the default, the message is no problem.
   *
   * @param next Page to lead to. Default: the one that was asked for.
   */
  send(c: PortalContext, message: string | null, status?: number, next?: string): Promise<Response>
  /** Checks whether a form has the token of the browser's cookie. */
  isOurs(c: PortalContext): boolean
}

/**
 * Creates the tokens of sign-in forms. Before sign-in there is no session, so a token is derived from a random cookie.
 * Another site cannot sign a browser in, every process can check the token, and no state is stored for visitors.
 */
export function createSignInForms({
  kind,
  newSecret,
}: {
  readonly kind: PortalKind
  readonly newSecret: () => string
}): SignInForms {
  return {
    send(c, message, status = 200, next) {
      const cookie = sessionCookie(c, kind, 'sign-in')
      const id = cookie.read() ?? newSecret()
      cookie.set(id)
      return sendPage(
        c,
        <SignInPage
          csrfToken={formToken(id, 'sign-in')}
          kind={kind}
          message={message}
          isProblem={status !== 200}
          next={next ?? returnPage(c.req.query('next')) ?? returnPage(formOf(c)?.get('next')) ?? pageOf(c)}
        />,
        status,
      )
    },
    isOurs(c) {
      const id = sessionCookie(c, kind, 'sign-in').read()
      return id !== null && equalSecrets(c.get('form').get('csrf') ?? '', formToken(id, 'sign-in'))
    },
  }
}
