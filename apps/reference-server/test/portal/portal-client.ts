import type { Answer, CallOptions, RunningTestServer } from '../running-server.js'

/** A browser without JavaScript: keeps cookies, posts the forms of a page with their hidden fields. */
export interface PortalClient {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Posts fields as they are, with what a browser says about where they come from. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Answer>
  /** Fills in and submits the form of `page` whose action is `action`. */
  submit(page: Answer, action: string, fields?: Fields, headers?: Record<string, string>): Promise<Answer>
  /** Follows a redirect of an answer. */
  follow(answer: Answer): Promise<Answer>
  signIn(app?: { readonly name: string; readonly apiKey: string }): Promise<Answer>
}

export type Fields = Readonly<Record<string, string | readonly string[]>>

/**
 * @param cookies of the browser; two clients with the same are one browser that talks to two servers.
 * @param origin of the portal: that of apps, unless said otherwise.
 */
export function createPortalClient(
  server: Pick<RunningTestServer, 'demo' | 'call'>,
  cookies = new Map<string, string>(),
  origin = server.demo.apiUrl,
): PortalClient {
  async function send(path: string, options: CallOptions): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await server.call(`${origin}${path}`, {
      ...options,
      headers: { ...(cookie === '' ? {} : { cookie }), ...options.headers },
    })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  const client: PortalClient = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(
          Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
        ).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      }),
    submit: (page, action, fields = {}, headers = {}) =>
      client.post(action, { ...hiddenFields(page.text, action), ...fields }, headers),
    follow: (answer) => client.get(String(answer.headers.location)),
    async signIn(app = server.demo.apps[0]) {
      const page = await client.get('/portal/sign-in')
      return client.submit(page, '/portal/sign-in', { app: app?.name ?? '', apiKey: app?.apiKey ?? '' })
    },
  }
  return client
}

/** A browser on the portal of operators. It is not signed in. */
export const createOperatorClient = (server: Pick<RunningTestServer, 'demo' | 'call'>, cookies?: Map<string, string>) =>
  createPortalClient(server, cookies, server.demo.internalUrl)

/** Signs an operator in, with the token of the local operator unless said otherwise. */
export async function signInOperator(browser: PortalClient, token: string | null) {
  const page = await browser.get('/portal/sign-in')
  return browser.submit(page, '/portal/sign-in', { operatorToken: token ?? '' })
}

/** Hidden fields of the form with this action. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const start = html.indexOf(`method="post" action="${action}"`)
  if (start === -1) throw new Error(`no form with action ${action}`)
  const form = html.slice(start, html.indexOf('</form>', start))
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&amp;', '&'),
    ]),
  )
}

/** The text of an element with this id, entities resolved. */
export function textOf(html: string, id: string): string {
  const start = html.indexOf('>', html.indexOf(`id="${id}"`)) + 1
  const [inner = ''] = html.slice(start).split(/<\/(?:pre|section|dl|textarea)>/, 1)
  return inner
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
