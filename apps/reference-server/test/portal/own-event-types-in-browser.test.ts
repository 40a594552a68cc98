import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@kyc-relay/webhooks'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'
import { chromiumArguments, findChromium } from './chromium.js'

const executablePath = findChromium()
if (executablePath === null) {
  process.stderr.write(
    '\nNOT RUN: own event types in a browser. No Chromium was found; install one or set CHROMIUM_PATH.\n\n',
  )
}

const returned = {
  name: 'PARCEL_RETURNED',
  description: `A parcel of the user came back to the warehouse ${'x'.repeat(60)}.`,
  scopes: ['LIST_PURCHASES'],
  schema: {
    type: 'object',
    properties: { parcelId: { type: 'string' }, kilograms: { type: 'number', minimum: 0 } },
    required: ['parcelId'],
    additionalProperties: false,
  },
  example: { parcelId: 'parcel-77', kilograms: 1.5 },
}

describe.runIf(executablePath !== null)('own event types in a browser', () => {
  let folder: string
  let server: RunningTestServer
  let receiver: LocalReceiver
  let browser: Browser
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'event-types-'))
    const path = join(folder, 'event-types.json')
    writeFileSync(path, JSON.stringify({ eventTypes: [returned] }))
    server = await startTestServer({ EVENT_TYPES_FILE: path })
    receiver = await startReceiver(server.demo)
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArguments })
    page = await browser.newPage({ viewport: { width: 390, height: 900 } })
    page.setDefaultTimeout(15_000)
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
  })
  afterAll(async () => {
    await browser?.close()
    await receiver?.close()
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  /** No finding of axe, and nothing wider than a phone. */
  async function check(name: string) {
    await page.evaluate(axe.source)
    const findings = await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))`,
    )
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    const wide = await page.evaluate(
      `[...document.querySelectorAll('table.records')].filter((one) => one.scrollWidth > one.parentElement.clientWidth).length`,
    )
    expect([name, findings, overflow, wide]).toEqual([name, [], 0, 0])
  }

  it('are in the catalogue, in the form of a new URL and on the page of test events', async () => {
    const [app] = server.demo.apps
    await page.goto(`${server.demo.apiUrl}/portal`)
    await page.getByLabel('Application').fill(app?.name ?? '')
    await page.getByLabel('API key').fill(app?.apiKey ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()

    await page.goto(`${server.demo.apiUrl}/portal/events`)
    await page.getByText('A parcel of the user came back to the warehouse').waitFor()
    await check('event types')
    await page.getByRole('link', { name: 'PARCEL_RETURNED' }).click()
    await page.getByRole('heading', { level: 1, name: 'PARCEL_RETURNED' }).waitFor()
    expect(await page.getByText('parcel-77').count()).toBeGreaterThan(0)
    await check('event type')

    await page.goto(`${server.demo.apiUrl}/portal/webhooks/new`)
    await page.getByLabel('HTTPS URL').fill(receiver.url('/hooks'))
    await page.getByLabel('PARCEL_RETURNED').check()
    await check('new URL')
    await page.getByRole('button', { name: 'Add URL' }).click()
    await page.getByText('The URL was added.').waitFor()

    await page.getByRole('link', { name: 'Send test event' }).click()
    await page.getByRole('heading', { name: 'The request, exactly' }).waitFor()
    expect(await page.getByText('parcel-77').count()).toBeGreaterThan(0)
    await check('test event')
    await page.getByRole('button', { name: 'Send PARCEL_RETURNED' }).click()
    await page.getByText('Delivered', { exact: true }).waitFor()
    const [request] = await receiver.arrived('/hooks', 1)
    const { body = '', headers = {} } = request ?? {}
    const eventTypes = [{ name: 'PARCEL_RETURNED' }]
    const { test, type, event } = await verifyWebhook({ body, headers, eventTypes, secrets: app?.apiKey ?? '' })
    expect([test, type, event]).toEqual([true, 'PARCEL_RETURNED', expect.objectContaining(returned.example)])
    expect(complaints).toEqual([])
  })
})
