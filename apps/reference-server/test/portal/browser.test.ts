import { eventCatalogue } from '@kyc-relay/webhooks/events'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webhookOperations } from '../../src/webhooks-api/webhook-operations.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'
import { samplePhoto } from '../photos/photo-samples.js'
import { chromiumArguments, findChromium } from './chromium.js'

const executablePath = findChromium()
if (executablePath === null) {
  process.stderr.write(
    '\nNOT RUN: the browser tests of the portal. No Chromium was found; install one or set CHROMIUM_PATH.\n\n',
  )
}
/** A folder to put a picture of every page into, for people who want to look at them. */
const pictures = process.env.PORTAL_PICTURES

describe.runIf(executablePath !== null)('the portal in a browser', () => {
  let server: RunningTestServer
  let receiver: LocalReceiver
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []
  const url = (path: string) => `${server.demo.apiUrl}${path}`
  const operators = (path: string) => `${server.demo.internalUrl}${path}`

  beforeAll(async () => {
    server = await startTestServer({ DELIVERY_RETRY_BASE_MS: '30' })
    receiver = await startReceiver(server.demo)
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArguments })
    context = await newContext()
    page = await context.newPage()
  })
  afterAll(async () => {
    await browser?.close()
    await receiver?.close()
    await server?.stop()
  })

  async function newContext(options: Parameters<Browser['newContext']>[0] = {}) {
    const made = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    made.setDefaultTimeout(15_000)
    made.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    made.on('weberror', (error) => complaints.push(String(error.error())))
    made.on('request', (request) => {
      const ours = [server.demo.apiUrl, server.demo.internalUrl]
      if (!ours.some((origin) => request.url().startsWith(origin))) complaints.push(`request to ${request.url()}`)
    })
    return made
  }

  /** Nothing wider than the screen, nothing to press beside it, and in each of the three layouts no finding of axe. */
  async function check(name: string) {
    for (const [colorScheme, width, isJudged] of [
      ['dark', 360, false],
      ['dark', 390, true],
      ['light', 820, true],
      ['light', 1280, false],
      ['light', 1440, true],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      if (pictures !== undefined)
        await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png`, fullPage: true })
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([name, width, overflow]).toEqual([name, width, 0])
      const beside = await page.evaluate(
        `[...document.querySelectorAll('a, button, select, input')].filter((one) => one.checkVisibility() &&
          one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML)`,
      )
      expect([name, width, beside]).toEqual([name, width, []])
      if (isJudged) expect([name, colorScheme, await axeFindings(page)]).toEqual([name, colorScheme, []])
    }
  }

  async function axeFindings(of: Page): Promise<string[]> {
    // Run by the debugger, which the page's policy for scripts does not concern. Half a megabyte: once for each page.
    if (!(await of.evaluate(`'axe' in window`))) await of.evaluate(axe.source)
    return of.evaluate(
      // Whether a label may be where it is, axe leaves to us: screen readers may skip one on an element without a role.
      `axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete }) =>
        [...violations, ...incomplete.filter(({ id }) => id === 'aria-prohibited-attr')].map(({ id, impact, nodes }) => id + ' ' + impact + ': ' + nodes.map((node) => node.html).join(' | ')))`,
    )
  }

  it('goes from signing in to a delivered test event, a rotated key and a resend', async () => {
    const [app] = server.demo.apps
    await page.goto(url('/portal'))
    expect(await page.title()).toBe('Sign in · kyc-relay')
    await check('sign-in')
    await page.getByLabel('Application').fill(app?.name ?? '')
    await page.getByLabel('API key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await check('sign-in-refused')
    await page.getByLabel('Application').fill(app?.name ?? '')
    await page.getByLabel('API key').fill(app?.apiKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await check('webhooks-empty')

    // For Developers › OAuth › Webhooks › Add new URL
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Add new URL' }).click()
    await page.getByLabel('HTTPS URL').fill('http://partner.com/hooks')
    await page.getByLabel('WIDGET_DEPOSIT_COMPLETE').check()
    await page.getByRole('button', { name: 'Add URL' }).click()
    await page.getByText('must start with https').waitFor()
    expect(await page.getByLabel('WIDGET_DEPOSIT_COMPLETE').isChecked()).toBe(true)
    expect(await page.evaluate('document.activeElement.name')).toBe('url')
    await check('add-url-refused')
    // Cut to a shorter one, it would be another URL.
    await page.getByLabel('HTTPS URL').fill(`https://partner.com/${'x'.repeat(2048)}`)
    await page.getByRole('button', { name: 'Add URL' }).click()
    await page.getByText('at most 2,048 characters').waitFor()
    receiver.answer('/hooks', { status: 503, headers: { 'content-type': 'text/plain' }, body: 'not yet' })
    await page.getByLabel('HTTPS URL').fill(receiver.url('/hooks'))
    await page.getByRole('button', { name: 'Add URL' }).click()
    await page.getByText('The URL was added.').waitFor()
    await check('webhooks')

    await page.getByRole('link', { name: 'Send test event' }).click()
    await page.getByRole('heading', { name: 'The request, exactly' }).waitFor()
    await check('test-event')
    await page.getByRole('button', { name: 'Send WIDGET_' }).click()
    // The page looks again by itself until the delivery has ended.
    await page.getByText('Attempt 2').waitFor()
    await page.getByText('Delivered', { exact: true }).waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Attempt 1' }).innerText()).toMatch(
      /HTTP 503[\s\S]*Next step/,
    )
    await page.getByText('Answer', { exact: true }).first().click()
    await check('delivery')

    await page.getByRole('link', { name: 'Delivery log' }).first().click()
    await page.getByLabel('Status', { exact: true }).selectOption('DELIVERED')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: 'WIDGET_DEPOSIT_COMPLETE' }).waitFor()
    await check('deliveries')

    await page.getByRole('link', { name: 'API key' }).first().click()
    await check('keys')
    await page.getByLabel('Your present API key').fill(app?.apiKey ?? '')
    await page.getByRole('button', { name: 'Make a new key' }).click()
    await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
    const newKey = (await page.locator('#api-key').innerText()).trim()
    await check('keys-new')
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    await page.getByText('Ready: both signatures were accepted').waitFor()
    await check('keys-dry-run')
    await page.getByLabel('Every receiver has key 2').check()
    await page.getByRole('button', { name: 'Activate key 2' }).click()
    await page.getByText('The new key signs webhooks from now on').waitFor()
    // What was begun with the old key reads only.
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Application').fill(app?.name ?? '')
    await page.getByLabel('API key').fill(newKey)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('link', { name: 'Delivery log' }).first().click()
    await page.getByRole('link', { name: 'WIDGET_DEPOSIT_COMPLETE' }).click()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('On its way again').waitFor()
    await page.getByText('signed with key 2').waitFor()
    const hooks = await receiver.arrived('/hooks', 5)
    // Two attempts and the resend carry one id; the two of the dry run have their own.
    expect(new Set(hooks.map((request) => request.headers['x-event-id'])).size).toBe(3)

    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await page.getByText('The same as a table').click()
    await check('webhooks-busy')
    await page
      .getByRole('table')
      .getByRole('link', { name: receiver.url('/hooks'), exact: true })
      .click()
    await page.getByText('Why attempts failed').waitFor()
    await check('endpoint')
    await page.getByRole('link', { name: 'Recover' }).click()
    await page.getByLabel('From (UTC)').fill('2020-01-01T00:00')
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByText('events to be delivered').waitFor()
    await check('recover')
    await page.getByRole('button', { name: 'Start the recovery' }).click()
    await page.getByText('Events looked at').waitFor()
    await check('recovery')
    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('Description').fill('Deposits')
    await check('change')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The URL was changed.').waitFor()
    await page.getByText('Deposits').waitFor()
    await page.getByRole('link', { name: 'Remove' }).click()
    await check('remove')
    await page.getByRole('button', { name: 'Remove URL' }).click()
    await page.getByText('The URL was removed.').waitFor()
    await page.getByRole('link', { name: 'Event types' }).click()
    await page.getByText('Python', { exact: true }).click()
    await page.getByText('hmac.compare_digest').waitFor()
    await check('event-types')
    await page.getByRole('link', { name: 'WIDGET_DEPOSIT_COMPLETE' }).click()
    await page.getByText('Show', { exact: true }).click()
    await page.getByText('"$ref"').or(page.getByText('"properties"')).first().waitFor()
    await check('event-type')
    await page.goto(url('/portal/nothing'))
    await check('not-found')
    await page.goto(url('/portal'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to the developer portal' }).waitFor()
    expect(complaints.filter((text) => !/status of 40[0-9]/.test(text))).toEqual([])
  })

  it('shows new deliveries in the log by itself, but not while a row is selected', async () => {
    const app = server.demo.apps[1]
    const own = await newContext()
    const log = await own.newPage()
    const { json } = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
      method: 'POST',
      token: app?.apiKey ?? null,
      body: { url: receiver.url('/live') },
    })
    const sendTest = async () => {
      const path = `${server.demo.apiUrl}/api/v1/webhooks/${json.id}/test`
      await server.call(path, { method: 'POST', token: app?.apiKey ?? null })
    }
    await log.goto(url('/portal/sign-in?next=/portal/deliveries'))
    await log.getByLabel('Application').fill(app?.name ?? '')
    await log.getByLabel('API key').fill(app?.apiKey ?? '')
    await log.getByRole('button', { name: 'Sign in' }).click()
    await log.getByText('Nothing here').waitFor()
    await sendTest()
    const select = log.getByRole('checkbox', { name: /^Select / })
    await select.first().waitFor()
    expect(await select.count()).toBe(1)
    await select.first().check()
    await log.evaluate('document.activeElement.blur()')
    const looked = log.waitForResponse((response) => response.url() === url('/portal/deliveries'), { timeout: 4_000 })
    await sendTest()
    expect(await looked.then(String, () => 'no look')).toBe('no look')
    expect(await select.first().isChecked()).toBe(true)
    await select.first().uncheck()
    await log.evaluate('document.activeElement.blur()')
    await select.nth(1).waitFor()
    await own.close()
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks/${json.id}`, {
      method: 'DELETE',
      token: app?.apiKey ?? null,
    })
  })

  it('has its places behind one button on a phone, also without JavaScript', async () => {
    const phone = await newContext({ viewport: { width: 390, height: 800 }, javaScriptEnabled: false })
    const small = await phone.newPage()
    await small.goto(url('/portal/sign-in'))
    await small.getByLabel('Application').fill(server.demo.apps[1]?.name ?? '')
    await small.getByLabel('API key').fill(server.demo.apps[1]?.apiKey ?? '')
    await small.getByRole('button', { name: 'Sign in' }).click()
    await small.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    expect(await small.getByRole('link', { name: 'Delivery log' }).isVisible()).toBe(false)
    await small.getByRole('button', { name: 'Menu' }).click()
    if (pictures !== undefined) await small.screenshot({ path: `${pictures}/menu-390.png` })
    await small.getByRole('link', { name: 'Delivery log' }).click()
    await small.getByRole('heading', { level: 1, name: 'Delivery log' }).waitFor()
    await small.getByRole('button', { name: 'Menu' }).press('Enter')
    await small.getByRole('button', { name: 'Sign out' }).click()
    await small.getByRole('heading', { name: 'Sign in to the developer portal' }).waitFor()
    await phone.close()
  })

  it('draws the API reference, with a command for each operation, from its own files alone', async () => {
    complaints.length = 0
    const own = await newContext()
    const reference = await own.newPage()
    const loaded: string[] = []
    reference.on('requestfinished', (request) => loaded.push(request.url()))
    await reference.goto(url('/api/v1/docs'))
    for (const { summary } of Object.values(webhookOperations))
      await reference.getByRole('heading', { name: summary }).first().waitFor()
    for (const type of Object.keys(eventCatalogue))
      await reference.getByRole('heading', { name: type }).first().waitFor()
    await reference.getByText('curl "$KYC_RELAY_URL/api/v1/webhooks"').first().waitFor()
    for (const width of [390, 820, 1440]) {
      await reference.setViewportSize({ width, height: 900 })
      if (pictures !== undefined) await reference.screenshot({ path: `${pictures}/api-reference-${width}.png` })
      const overflow = await reference.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect([width, overflow]).toEqual([width, 0])
    }
    expect(await axeFindings(reference)).toEqual([])
    expect(loaded.filter((address) => !address.startsWith(server.demo.apiUrl))).toEqual([])
    expect(complaints.splice(0)).toEqual([])
    await own.close()
  })

  it('is worked by keyboard alone: a way past the navigation, and a visible focus on every stop', async () => {
    const [app] = server.demo.apps
    await page.goto(url('/portal/sign-in'))
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.name')).toBe('app')
    await page.keyboard.type(server.demo.apps[1]?.name ?? '')
    await page.keyboard.press('Tab')
    await page.keyboard.type(server.demo.apps[1]?.apiKey ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    expect(app).toBeDefined()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await page.goto(url('/portal/webhooks/new'))
    const stops: string[] = []
    for (let stop = 0; stop < 40; stop += 1) {
      await page.keyboard.press('Tab')
      const seen = await page.evaluate<[string, boolean, boolean]>(`(() => {
        const { activeElement: at } = document
        const { outlineStyle, outlineWidth } = getComputedStyle(at)
        return [at.name || at.textContent.trim(), outlineStyle !== 'none' && outlineWidth !== '0px', at === document.body]
      })()`)
      if (seen[2]) break
      expect([seen[0], seen[1]]).toEqual([seen[0], true])
      stops.push(seen[0])
    }
    expect(stops).toEqual(expect.arrayContaining(['url', 'eventTypes', 'standardWebhooks', 'Add URL', 'Sign out']))
  })

  it('shows the operator what was decided', async () => {
    const user = server.demo.users[2]
    const verifications = {
      ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' },
      database: {
        verificationId: 'db-1',
        status: 'FAILED',
        checks: [
          { name: 'watchlist', status: 'FAILED' },
          { name: 'address_match', status: 'NOT_APPLICABLE' },
          { name: 'name_match', status: 'PASSED' },
        ],
      },
    }
    for (const decision of ['PASSED', 'FAILED']) {
      const variables = submissionVariables({ decision, verifications })
      await server.graphql('secure', { query: submissionDocument, variables }, { token: user?.accessToken ?? null })
    }
    await context.clearCookies()
    await page.goto(operators('/portal'))
    await check('operator-sign-in')
    await page.getByLabel('Operator token').fill(server.demo.operatorToken ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByRole('link', { name: user?.userId ?? '' })
      .first()
      .waitFor()
    await check('kyc-latest')
    await page.getByLabel('User id').fill(user?.userId ?? '')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('watchlist').first().waitFor()
    await check('kyc')
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Evidence' }).waitFor()
    await page.getByText('The submission has no photos.').waitFor()
    await check('kyc-verification')
    // By keyboard alone.
    await page.getByLabel('Purpose').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.querySelector("#purpose").validity.valueMissing')).toBe(true)
    await page.keyboard.type('examination 7')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open the sealed record')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sealed record' }).waitFor()
    await page.getByText('***-**-1120').waitFor()
    await check('kyc-evidence')
  })

  it('shows the operator where each photo stands, from its submission to the erasure of its user', async () => {
    const user = server.demo.users[1]
    receiver.answer('/front', { status: 200, body: samplePhoto('portal') })
    receiver.answer('/back', { status: 410 })
    receiver.answerBy('/selfie', () => 503)
    const document = {
      verificationId: 'doc-1',
      status: 'PASSED',
      documentClass: 'PASSPORT',
      documentNumber: 'X9Y8Z7W6',
      issuingCountryCode: 'US',
      photos: { front: receiver.url('/front'), back: receiver.url('/back'), selfie: receiver.url('/selfie') },
    }
    const ssn = { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' }
    const variables = submissionVariables({ verifications: { ssn, document } })
    await server.graphql('secure', { query: submissionDocument, variables }, { token: user?.accessToken ?? null })
    for (const path of ['/front', '/back', '/selfie']) await receiver.arrived(path, 1)
    await page.goto(operators(`/portal/kyc?user=${user?.userId}`))
    await page.getByRole('table').getByRole('link').first().click()
    const photos = page.getByRole('region', { name: 'Table of photos' })
    /** State, attempts, next attempt and last failure of each photo. */
    const stands = async () => {
      await page.reload()
      const rows = await photos.getByRole('row').all()
      const cells = await Promise.all(rows.slice(1).map((row) => row.getByRole('cell').allInnerTexts()))
      return cells.map((texts) => texts.slice(0, 4).map((text) => text.trim()))
    }
    const soon = expect.stringMatching(/^in \d+ s$|^in 1 min$/) as string
    await expect.poll(stands).toEqual([
      ['Stored', '1', 'none', 'none'],
      ['Unavailable', '1', 'none', 'HTTP_STATUS'],
      ['Tried again', '1', soon, 'HTTP_STATUS'],
    ])
    expect(await page.getByText(user?.userId ?? '').count()).toBeGreaterThan(0)
    await check('kyc-photos')
    await page.getByLabel('Purpose').fill('examination 8')
    await page.getByRole('button', { name: 'Open the sealed record' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sealed record' }).waitFor()
    await check('kyc-evidence-photos')
    const shown = page.waitForResponse((response) => response.url().endsWith('/photo'))
    await page.getByRole('button', { name: 'Open the photo: front' }).press('Enter')
    expect([(await shown).status(), (await shown).headers()['content-type']]).toEqual([200, 'image/jpeg'])
    await page.goto(operators(`/portal/kyc?user=${user?.userId}`))
    await page.getByRole('table').getByRole('link').first().click()
    const erased = await server.call(`${server.demo.internalUrl}/internal/v1/users/${user?.userId}/pii`, {
      method: 'DELETE',
      token: server.demo.internalToken,
      body: { purpose: 'request of the user' },
    })
    expect(erased.status).toBe(200)
    expect(await stands()).toEqual([
      ['Erased', '1', 'none', 'none'],
      ['Erased', '1', 'none', 'HTTP_STATUS'],
      ['Erased', '1', 'none', 'HTTP_STATUS'],
    ])
    await check('kyc-photos-erased')
    await page.getByLabel('Purpose').fill('examination 9')
    await page.getByRole('button', { name: 'Open the sealed record' }).click()
    await page.getByText('was erased').waitFor()
    await check('kyc-evidence-erased')
  })

  it('breaks the long name of an application, or of a header, instead of growing wider than the screen', async () => {
    const internal = (path: string, body: object) =>
      server.call(operators(`/internal/v1${path}`), { body, token: server.demo.internalToken })
    const { appId, apiKey } = (await internal('/apps', { name: 'W'.repeat(200) })).json as Record<string, string>
    const { accessToken, userId } = (await internal('/access-tokens', { appId, scopes: ['VERIFY_KYC'] }))
      .json as Record<string, string>
    const submission = { query: submissionDocument, variables: submissionVariables({}) }
    await server.graphql('secure', submission, { token: accessToken ?? null })
    const registration = { url: receiver.url('/long'), headers: { [`X-${'H'.repeat(98)}`]: 'value' } }
    const endpoint = await server.call(url('/api/v1/webhooks'), { body: registration, token: apiKey ?? null })
    await context.clearCookies()
    await page.goto(url(`/portal/sign-in?next=/portal/webhooks/${endpoint.json.id}/change`))
    await page.getByLabel('Application').fill(appId ?? '')
    await page.getByLabel('API key').fill(apiKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Now: x-hhh').waitFor()
    await check('change-url-long-header')
    await page.goto(operators(`/portal/sign-in?next=/portal/kyc%3Fuser=${userId}`))
    await page.getByLabel('Operator token').fill(server.demo.operatorToken ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'WWW' }).waitFor()
    await check('kyc-long-name')
  })

  it('opens a sealed record without JavaScript', async () => {
    const user = server.demo.users[4]
    const variables = submissionVariables({})
    await server.graphql('secure', { query: submissionDocument, variables }, { token: user?.accessToken ?? null })
    const plain = await newContext({ javaScriptEnabled: false })
    const without = await plain.newPage()
    await without.goto(operators(`/portal/sign-in?next=/portal/kyc%3Fuser=${user?.userId}`))
    await without.getByLabel('Operator token').fill(server.demo.operatorToken ?? '')
    await without.getByRole('button', { name: 'Sign in' }).click()
    await without.getByRole('table').getByRole('link').first().click()
    await without.getByLabel('Purpose').fill('examination 10')
    await without.getByRole('button', { name: 'Open the sealed record' }).click()
    await without.getByText('***-**-1120').waitFor()
    await plain.close()
  })

  it('works without JavaScript', async () => {
    const plain = await newContext({ javaScriptEnabled: false })
    const without = await plain.newPage()
    await without.goto(url('/portal'))
    await without.getByLabel('Application').fill(server.demo.apps[1]?.name ?? '')
    await without.getByLabel('API key').fill(server.demo.apps[1]?.apiKey ?? '')
    await without.getByRole('button', { name: 'Sign in' }).click()
    await without.getByRole('link', { name: 'Add new URL' }).first().click()
    await without.getByLabel('HTTPS URL').fill(receiver.url('/plain'))
    await without.getByRole('button', { name: 'Add URL' }).click()
    await without.getByRole('link', { name: 'Send test event' }).click()
    await without.getByRole('button', { name: 'Send WIDGET_' }).click()
    await receiver.arrived('/plain', 1)
    for (let look = 0; look < 200 && (await without.getByText('Delivered', { exact: true }).count()) === 0; look += 1)
      await without.reload()
    expect(await without.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    expect(await without.getByText('Attempt 1').count()).toBe(1)
    await plain.close()
  })
})
