import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reproducibleCurl, type CurlDelivery } from '../../src/delivery/reproducible-curl.js'
import { signWebhook } from '../../src/signature/sign-webhook.js'

let folder: string

/** In place of curl: prints its arguments, NUL between them, so that nothing is sent anywhere. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-curl-'))
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`)
  chmodSync(join(folder, 'curl'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

const delivery = (body: string, fields: Partial<CurlDelivery> = {}): CurlDelivery => ({
  url: 'https://partner.com/hooks?x=1&y=[2]',
  xEventId: '0198c1c0-0000-7000-8000-000000000001',
  test: false,
  body: new TextEncoder().encode(body),
  ...fields,
})

function run(command: string, apiKey: string): readonly string[] {
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, KYC_RELAY_API_KEY: apiKey }
  return execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('run in a shell it sends the same bytes with a valid signature', () => {
  test.each([
    ['plain', '{"amount":100.5}'],
    ['quotes', `{"note":"it's \\"fine\\" '' '\\\\''"}`],
    ['shell syntax', '{"note":"$(touch /tmp/x) `id` $HOME ; rm -rf / | & > < * ? !"}'],
    ['other scripts', '{"user":"Zoë Łukasz 李 😀"}'],
    ['an at sign in front', '@/etc/passwd'],
    ['percent signs', '{"rate":"100%s%n"}'],
    ['a line break within', '{"note":"a\nb"}'],
    ['a dash in front', '--output'],
  ])('%s', async (_name, body) => {
    const apiKey = `key with spaces, 'quotes' and $dollars`
    const command = reproducibleCurl(delivery(body))
    const sent = run(command, apiKey)
    const after = (option: string) => sent.filter((_, index) => sent[index - 1] === option)
    expect(after('--data-raw')).toEqual([body])
    expect(after('--url')).toEqual(['https://partner.com/hooks?x=1&y=[2]'])
    expect(after('--request')).toEqual(['POST'])
    expect(after('--header')).toEqual([
      'Content-Type: application/json',
      'X-Event-ID: 0198c1c0-0000-7000-8000-000000000001',
      `X-HMAC-Signature: ${await signWebhook(body, apiKey)}`,
    ])
    expect(sent).toContain('--globoff')
    expect(sent).not.toContain('--location')
  })
})

test('a URL cannot break out of its quotes', () => {
  const url = `https://partner.com/it's;$(id)`
  const sent = run(reproducibleCurl(delivery('{}', { url })), 'key')
  expect(sent.at(-1)).toBe(url)
})

test('a test event is marked as one, and no secret is in the command', () => {
  const command = reproducibleCurl(delivery('{}', { test: true }))
  expect(command).toContain("--header 'X-Test-Event: true'")
  expect(command).toContain('$KYC_RELAY_API_KEY')
  expect(command).not.toMatch(/[0-9a-f]{64}/)
})
