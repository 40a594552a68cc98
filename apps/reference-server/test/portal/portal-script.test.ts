import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'
import { chromiumArguments, findChromium } from './chromium.js'

const executablePath = findChromium()

describe.runIf(executablePath !== null)('the script of the portal', () => {
  let server: RunningTestServer
  let receiver: LocalReceiver
  let browser: Browser
  let page: Page
  let endpointId: string
  const app = () => server.demo.apps[0] ?? { name: '', apiKey: '' }
  const api = (path: string) => {
    const body = path === '' ? { body: { url: receiver.url('/live') } } : {}
    const address = `${server.demo.apiUrl}/api/v1/webhooks${path}`
    return server.call(address, { method: 'POST', token: app().apiKey, ...body })
  }

  beforeAll(async () => {
    server = await startTestServer({ DELIVERY_RETRY_BASE_MS: '30' })
    receiver = await startReceiver(server.demo)
    endpointId = (await api('')).json.id
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArguments })
    page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(`${server.demo.apiUrl}/portal/sign-in?next=/portal/deliveries`)
    await page.getByLabel('Application').fill(app().name)
    await page.getByLabel('API key').fill(app().apiKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
  })
  afterAll(async () => {
    await browser?.close()
    await receiver?.close()
    await server?.stop()
  })

  it('refreshes the log with a link to the deliveries that come after the last row it shows', async () => {
    await page.getByText('Nothing here').waitFor()
    for (let count = 0; count < 26; count += 1) await api(`/${endpointId}/test`)
    await page.getByRole('link', { name: 'Older deliveries' }).click()
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    expect(await page.getByRole('rowheader').count()).toBe(1)
  })

  it('offers to send a delivery again once it has ended', async () => {
    receiver.answer('/live', { status: 503 })
    await page.goto(`${server.demo.apiUrl}/portal/webhooks/${endpointId}/test`)
    await page.getByRole('button', { name: 'Send WIDGET_' }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor()
    expect(await page.getByText('Delivered', { exact: true }).count()).toBe(1)
  })

  it('shows the new key however often its button is clicked', async () => {
    await page.goto(`${server.demo.apiUrl}/portal/keys`)
    await page.getByLabel('Your present API key').fill(app().apiKey)
    let posts = 0
    await page.route('**/portal/keys/rotate', async (route) => {
      posts += 1
      await route.fulfill({ response: await route.fetch() })
    })
    // Clicks until the page is gone.
    await page.evaluate(`(() => {
      const form = document.querySelector('form[action="/portal/keys/rotate"]')
      form.requestSubmit()
      setInterval(() => form.requestSubmit(), 5)
    })()`)
    await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
    expect(posts).toBe(1)
  })
})
