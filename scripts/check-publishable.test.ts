import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('check-publishable.mjs', import.meta.url))
const packages = ['kyc-core', 'webhooks', 'storage-drizzle', 'conformance']
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../packages/${name}/package.json`, import.meta.url), 'utf8')) as {
    scripts: Record<string, string>
    repository?: unknown
  }

it.each(packages)('%s asks before it is published', (name) => {
  expect(manifestOf(name).scripts['prepublishOnly']).toBe('node ../../scripts/check-publishable.mjs')
})

it('refuses while nobody has said where the repository is', () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  const isSet = packages.every((name) => manifestOf(name).repository !== undefined)
  expect(status).toBe(isSet ? 0 : 1)
  if (!isSet) expect(stderr).toContain('Nothing is published until these are set.')
})
