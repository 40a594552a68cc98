import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { chromiumArguments, findChromium } from '../portal/chromium.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

const executablePath = findChromium()
if (executablePath === null) {
  process.stderr.write('\nNOT RUN: the browser test of GraphiQL. No Chromium was found; set CHROMIUM_PATH.\n\n')
}

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it('is a page of the standard API alone, with a strict policy', async () => {
  const page = await server.call(`${server.demo.apiUrl}/graphiql`)
  expect(page.status).toBe(200)
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src data:; connect-src 'self'; " +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect(page.text).not.toMatch(/<style|\sstyle="|<script>|\son\w+="|(?:src|href)="(?:https?:)?\/\//)
  for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g))
    expect([path, (await server.call(`${server.demo.apiUrl}${path}`)).status]).toEqual([path, 200])
  for (const origin of [server.demo.secureUrl, server.demo.internalUrl]) {
    expect([200, 303].includes((await server.call(`${origin}/graphiql`)).status)).toBe(false)
    expect((await server.call(`${origin}/assets/graphiql/start.js`)).status).not.toBe(200)
  }
})

it('is not served on another address than loopback', async () => {
  const open = await startTestServer({ HOST: '0.0.0.0', ALLOW_NON_LOOPBACK_HOST: '1', TLS_TERMINATED_UPSTREAM: '1' })
  try {
    for (const path of ['/graphiql', '/assets/graphiql/start.js', '/assets/graphiql/graphiql.js'])
      expect([path, (await open.call(`${open.demo.apiUrl}${path}`)).status]).toEqual([path, 404])
  } finally {
    await open.stop()
  }
})

it('is not served in production, on loopback as well', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-graphiql-'))
  const keyFile = join(dataDir, 'keys.json')
  writeFileSync(keyFile, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600 })
  const env = parseEnv({
    NODE_ENV: 'production',
    ROLE: 'api',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATA_DIR: dataDir,
    KEY_FILE: keyFile,
    INTERNAL_TOKEN: randomBytes(32).toString('hex'),
  })
  const production = await startServer(env, createLog({ logLevel: 'silent' }, { write: () => undefined }))
  try {
    const origin = `http://127.0.0.1:${production.ports.api}`
    expect((await server.call(`${origin}/healthz`)).status).toBe(200)
    for (const path of ['/graphiql', '/assets/graphiql/start.js'])
      expect([path, (await server.call(`${origin}${path}`)).status]).toEqual([path, 404])
  } finally {
    await production.stop('TEST_ENDED')
    rmSync(dataDir, { recursive: true, force: true })
  }
})

describe.runIf(executablePath !== null)('GraphiQL in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArguments })
  })
  afterAll(() => browser?.close())

  it('runs a query with a token, from our own files alone, and keeps neither', async () => {
    const user = server.demo.users[0]
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      const isOurs = request.url().startsWith(server.demo.apiUrl) || request.url().startsWith('data:')
      if (!isOurs) complaints.push(`request to ${request.url()}`)
    })
    await page.goto(`${server.demo.apiUrl}/graphiql`)
    const headers = page.locator('section[aria-label="Headers"] .graphiql-editor:not(.hidden) > .CodeMirror')
    await headers.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(`{"Authorization":"Bearer ${user?.accessToken}"}`)
    const query = page.locator('section[aria-label="Query Editor"] .CodeMirror')
    await query.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{ viewer { userId kycStatus } }')
    await page.getByRole('button', { name: /Execute query/ }).click()
    const result = page.locator('section[aria-label="Result Window"]')
    await result.getByText(user?.userId ?? '').waitFor()
    await result.getByText('UNVERIFIED').waitFor()
    if (process.env.PORTAL_PICTURES !== undefined)
      await page.screenshot({ path: `${process.env.PORTAL_PICTURES}/graphiql.png` })
    // The schema is read with the token: its page names our type.
    await page.getByRole('button', { name: 'Re-fetch GraphQL schema' }).click()
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Query' }).first().waitFor()
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(await context.cookies()).toEqual([])
    await page.reload()
    await headers.waitFor()
    expect(await page.evaluate('document.body.innerText')).not.toContain(user?.accessToken)
    // Without a token the schema is refused, and the policy stops a style that nothing needs.
    expect(complaints.filter((text) => !/status of 401|inline style/.test(text))).toEqual([])
    await context.close()
  })
})
