import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { URLSearchParams } from 'node:url'
import { retryBaseMs } from './side.mjs'

// One lane on one of the two servers: fills in what earlier answers gave, sends, and observes everything that came of it.

const nil = '00000000-0000-0000-0000-000000000000'
const settleDeadlineMs = 600_000

/** `normaliser` names what differs from run to run. */
export function createLaneSide({ side, lane, normaliser }) {
  const values = new Map([
    ['internalToken', side.demo.internalToken],
    ['receiver', side.receiver.origin],
  ])
  const cookies = new Map()
  const keys = []
  const seenDeliveries = new Set()
  const plannedAt = new Map()
  let planned = 0

  const filled = (text) => text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name) => values.get(name) ?? nil)

  async function send({ on, method, path, token, headers = {}, body = null }) {
    return side.call({
      on,
      method,
      path: filled(path),
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${filled(token)}` }) },
      body: body === null ? null : filled(body),
    })
  }

  function jsonOf(answer) {
    try {
      return JSON.parse(answer.text)
    } catch {
      return null
    }
  }

  /**
   * What a client sees of an answer. Of a page only that it is one: its words are not compared. Whether a connection ends
   * after 1,000 requests depends on which of its connections the client took.
   */
  function shown({ status, headers: given, text }) {
    const headers = { ...given }
    delete headers.connection
    delete headers['keep-alive']
    const type = String(headers['content-type'] ?? '')
    const body = type.includes('json') ? (jsonOf({ text }) ?? text) : type.includes('html') ? '<page>' : text
    const cookieNames = [headers['set-cookie'] ?? []].flat().map((line) => line.split('=')[0])
    return { status, headers: { ...headers, 'set-cookie': cookieNames }, body }
  }

  function remember(answer, { keep = {}, rename = {} }) {
    const body = jsonOf(answer)
    for (const [name, member] of Object.entries(keep)) {
      const given = member.split('.').reduce((inside, key) => inside?.[key], body)
      if (given != null) values.set(name, given)
    }
    if (answer.status < 300) {
      for (const [from, to] of Object.entries(rename)) if (values.has(from)) values.set(to, values.get(from))
    }
    const key = values.get('apiKey')
    if (key !== undefined && !keys.includes(key)) keys.push(key)
  }

  async function browse(method, path, fields) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    if (cookies.size === 0) delete headers.cookie
    if (fields !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
    const body = fields === undefined ? null : new URLSearchParams(fields).toString()
    const answer = await side.call({ on: 'api', method, path, headers, body })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  /** Opens a page and submits the form on it; a form that is not there is posted with the hidden fields of the first. */
  async function submitForm({ page, action, fields }) {
    const opened = await browse('GET', page)
    const forms = opened.text.split('<form').slice(1)
    const form = forms.find((one) => one.includes(`action="${action}"`)) ?? forms[0] ?? ''
    const hidden = form.split('</form>')[0].matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
    const given = Object.entries(fields).map(([name, value]) => [name, filled(value)])
    const posted = await browse('POST', action, [...[...hidden].map(([, name, value]) => [name, value]), ...given])
    return { opened: shown(opened), posted: shown(posted) }
  }

  const listed = async (query) =>
    jsonOf(await send({ on: 'api', method: 'GET', path: `/api/v1/webhooks/deliveries?${query}`, token: '{{apiKey}}' }))

  /** Waits until nothing is on its way, and notes meanwhile for when the server plans the next attempts. */
  async function untilSettled() {
    const deadline = performance.now() + settleDeadlineMs
    for (;;) {
      const { items } = await listed('status=PENDING&limit=100')
      if (items.length === 0) return
      for (const { id, attemptsMade, nextAttemptAt } of items) {
        if (nextAttemptAt !== null) plannedAt.set(`${id} ${attemptsMade}`, Date.parse(nextAttemptAt))
      }
      if (performance.now() > deadline) throw new Error(`deliveries of ${lane} did not end`)
      await sleep(20)
    }
  }

  /** Deliveries that were not looked at before, newest first. */
  async function newDeliveries() {
    const found = []
    let cursor = ''
    for (;;) {
      const page = await listed(`limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
      const unseen = page.items.filter(({ id }) => !seenDeliveries.has(id))
      found.push(...unseen)
      if (page.nextCursor == null || unseen.length < page.items.length) return found
      cursor = page.nextCursor
    }
  }

  /**
   * Attempts that the server planned for another time than the schedule says: 20 % around the delay, or the time that the
   * receiver asked for. By the server's own clock, so that a busy machine changes nothing.
   */
  function offPlan({ id, url, attempts }) {
    return attempts.flatMap(({ number, endedAt }) => {
      const at = plannedAt.get(`${id} ${number}`)
      if (at === undefined || endedAt === null) return []
      const delayMs = at - Date.parse(endedAt)
      const planMs = retryBaseMs * 6 ** (number - 1)
      const askedMs = url.includes('asks-to-wait') && number === 1 ? 1_000 : 0
      const isInPlan = delayMs >= Math.max(planMs * 0.8, askedMs) - 2 && delayMs <= Math.max(planMs, askedMs) * 1.2 + 2
      planned += 1
      return isInPlan ? [] : [{ number, delayMs }]
    })
  }

  function signedBy({ headers, body }) {
    const signature = headers['x-hmac-signature']
    const fits = (key) => createHmac('sha256', key).update(body).digest('hex') === signature
    const number = keys.findIndex(fits)
    return number === -1 ? 'no known key' : `key ${number + 1}`
  }

  /** Everything that a delivery came to: what the log says of it, and what the receiver got. */
  async function settled() {
    await untilSettled()
    const posts = new Map()
    for (const post of side.receiver.takePosts(lane)) {
      const key = `${post.path} ${post.headers['x-event-id']}`
      posts.set(key, [...(posts.get(key) ?? []), post])
    }
    const deliveries = []
    for (const { id } of await newDeliveries()) {
      seenDeliveries.add(id)
      const path = `/api/v1/webhooks/deliveries/${id}`
      const detail = jsonOf(await send({ on: 'api', method: 'GET', path, token: '{{apiKey}}' }))
      const key = `${new URL(detail.url).pathname} ${detail.xEventId}`
      const ofDelivery = posts.get(key) ?? []
      posts.delete(key)
      deliveries.push({
        detail,
        offPlan: offPlan(detail),
        posts: ofDelivery.map((post) => ({
          headers: { ...post.headers, 'x-hmac-signature': signedBy(post) },
          body: post.body === detail.body ? '<as logged>' : post.body,
        })),
      })
    }
    const strangers = [...posts.values()].flat().map(({ path, body }) => ({ path, body }))
    return byWhatTheyAre([...deliveries, ...strangers].map((one) => normaliser.unnamed(one)))
  }

  /** Names each delivery after its URL and body, so that one too many changes no other name. */
  function byWhatTheyAre(all) {
    const nameOf = ({ detail, path, body }) => `${detail?.url ?? path} ${detail?.body ?? body}`
    // By what both versions tell, so that deliveries of one body to one URL are in the same order.
    const sortKey = ({ detail, posts }) =>
      JSON.stringify([detail?.resendOf, detail?.status, detail?.attemptsMade, posts?.map(({ headers }) => headers)])
    const sorted = all.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    const counts = new Map()
    const named = sorted.map((one) => {
      const name = nameOf(one)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return [`${name} ${counts.get(name)}`.replaceAll('/', '|'), one]
    })
    return Object.fromEntries(named)
  }

  /** Sends one of the newest deliveries again: the one that comes `number`-th when they are sorted by what they say. */
  async function resend(number) {
    const { items } = await listed('limit=20')
    if (items.length === 0) return null
    // Without the fields that only the later version has.
    const sortKey = (item) =>
      JSON.stringify(normaliser.unnamed({ ...item, httpStatus: undefined, latencyMs: undefined }))
    const sorted = items.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    const { id } = sorted[number % sorted.length]
    const path = `/api/v1/webhooks/deliveries/${id}/resend`
    return normaliser.unnamed(shown(await send({ on: 'api', method: 'POST', path, token: '{{apiKey}}' })))
  }

  return {
    /** Planned retries that were seen and judged. */
    planned: () => planned,
    /** Does the command with this number and answers, normalised, what came of it. */
    async execute(command, number) {
      if (command.settle) return settled()
      if (command.resend !== undefined) return resend(command.resend)
      if (command.form !== undefined) return normaliser.named(await submitForm(command.form), number)
      if (command.portal !== undefined) return normaliser.named(shown(await browse('GET', command.portal)), number)
      const answer = await send(command)
      remember(answer, command)
      return normaliser.named(shown(answer), number)
    },
  }
}
