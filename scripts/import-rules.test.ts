import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cruise, type IConfiguration } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterEach, describe, expect, test } from 'vitest'

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration

// A smoke test: each case is a tree of files that breaks one rule. Modules under node_modules are stand-ins.
const cases: { rule: string; breaks: string; files: Record<string, string> }[] = [
  {
    rule: 'storage-takes-types-only',
    breaks: 'storage-drizzle imports a value of kyc-core',
    files: {
      'packages/storage-drizzle/src/sqlite/a.ts': `export { b } from '@kyc-relay/kyc-core'`,
      'packages/kyc-core/src/index.ts': `export const b = 1`,
    },
  },
  {
    rule: 'public-entry-points-only',
    breaks: 'an app imports a folder that is not exported',
    files: {
      'apps/reference-server/src/a.ts': `export { b } from '@kyc-relay/kyc-core/status'`,
      'packages/kyc-core/src/status/index.ts': `export const b = 1`,
    },
  },
  {
    rule: 'internal-stays-here',
    breaks: 'an example imports what promises nothing',
    files: {
      'examples/a.ts': `export { b } from '@kyc-relay/kyc-core/internal'`,
      'packages/kyc-core/src/internal/index.ts': `export const b = 1`,
    },
  },
  {
    rule: 'node-in-its-folders',
    breaks: 'a pure file imports node:crypto',
    files: { 'packages/kyc-core/src/status/a.ts': `export { createHash } from 'node:crypto'` },
  },
  {
    rule: 'receiver-needs-nothing-installed',
    breaks: 'the root of webhooks reaches zod, over another file and as a type',
    files: {
      'packages/webhooks/src/index.ts': `export type { B } from './events/b.js'`,
      'packages/webhooks/src/events/b.ts': `import type { C } from 'zod'\nexport type B = C`,
      'packages/webhooks/package.json': `{ "name": "a", "peerDependencies": { "zod": "1" } }`,
      'node_modules/zod/package.json': `{ "name": "zod", "version": "1.0.0", "types": "index.d.ts" }`,
      'node_modules/zod/index.d.ts': `export type C = 1`,
    },
  },
  {
    rule: 'sqlite-loads-no-postgres',
    breaks: 'the SQLite store imports the driver of PostgreSQL',
    files: {
      'packages/storage-drizzle/src/sqlite/a.ts': `export { Pool } from 'pg'`,
      'packages/storage-drizzle/package.json': `{ "name": "a", "peerDependencies": { "pg": "1" } }`,
      'node_modules/pg/package.json': `{ "name": "pg", "version": "1.0.0", "main": "index.js" }`,
      'node_modules/pg/index.js': `exports.Pool = 1`,
    },
  },
]

const trees: string[] = []
const startFolder = process.cwd()
afterEach(() => {
  process.chdir(startFolder)
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true })
})

async function brokenRules(files: Record<string, string>): Promise<string[]> {
  const tree = realpathSync(mkdtempSync(path.join(tmpdir(), 'import-rules-')))
  trees.push(tree)
  const paths = {
    '@kyc-relay/kyc-core': ['./packages/kyc-core/src/index.ts'],
    '@kyc-relay/kyc-core/*': ['./packages/kyc-core/src/*/index.ts'],
    '@kyc-relay/webhooks': ['./packages/webhooks/src/index.ts'],
  }
  const compilerOptions = { module: 'ESNext', moduleResolution: 'Bundler', paths }
  const all = { 'tsconfig.json': JSON.stringify({ compilerOptions }), ...files }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(path.join(tree, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(tree, name), content)
  }
  const sources = Object.keys(files).filter((name) => name.endsWith('.ts') && !name.startsWith('node_modules/'))
  process.chdir(tree) // dependency-cruiser reads the `paths` of a tsconfig relative to the working directory
  const resolveOptions = { ...config.options?.enhancedResolveOptions, tsConfig: 'tsconfig.json' }
  const { output } = await cruise(
    sources,
    { ...config.options, baseDir: tree, ruleSet: { forbidden: config.forbidden ?? [] }, validate: true },
    resolveOptions,
    { tsConfig: extractTSConfig('tsconfig.json') },
  )
  if (typeof output === 'string') throw new TypeError('dependency-cruiser answered with a text')
  return output.summary.violations.map((violation) => violation.rule.name)
}

describe('import rules', () => {
  test.each(cases.map((example) => [example.rule, example.breaks, example.files] as const))(
    '%s: %s',
    async (rule, _breaks, files) => {
      const broken = await brokenRules(files)

      expect([...new Set(broken)]).toEqual([rule])
    },
  )

  test('a tree that follows the rules breaks none', async () => {
    const broken = await brokenRules({
      'packages/kyc-core/src/index.ts': `export { a } from './status/a.js'\nexport type A = 1`,
      'packages/kyc-core/src/status/a.ts': `import type { C } from './c.js'\nexport const a: C = 1`,
      'packages/kyc-core/src/status/c.ts': `import { a } from './a.js'\nexport type C = number\nexport const c = () => a`,
      'packages/kyc-core/src/node/b.ts': `import { createHash } from 'node:crypto'\nimport { a } from '../status/a.js'\nexport const b = [createHash, a]`,
      'packages/storage-drizzle/src/sqlite/a.ts': `import type { A } from '@kyc-relay/kyc-core'\nexport type B = A`,
      'apps/reference-server/src/main.ts': `import { readFileSync } from 'node:fs'\nimport { a } from '@kyc-relay/kyc-core'\nexport const c = [a, readFileSync]`,
    })

    expect(broken).toEqual([])
  })

  test('every rule has a reason and fails the check', () => {
    expect((config.forbidden ?? []).filter((rule) => !rule.comment || rule.severity !== 'error')).toEqual([])
  })
})
