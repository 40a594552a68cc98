import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cruise, type IConfiguration } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterEach, describe, expect, test } from 'vitest'

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration
const ruleNames = (config.forbidden ?? []).map((rule) => rule.name)

// Every case is a tree of files that breaks one rule. Modules under node_modules are stand-ins.
const cases: { rule: string; breaks: string; files: Record<string, string> }[] = [
  {
    rule: 'no-cycles',
    breaks: 'three files load each other in a circle',
    files: {
      'packages/webhooks/src/signature/a.ts': `import { b } from './b.js'\nexport const a = () => b`,
      'packages/webhooks/src/signature/b.ts': `import { c } from './c.js'\nexport const b = () => c`,
      'packages/webhooks/src/signature/c.ts': `import { a } from './a.js'\nexport const c = () => a`,
    },
  },
  {
    rule: 'nothing-unresolved',
    breaks: 'an import of a file that is not there',
    files: { 'packages/webhooks/src/signature/a.ts': `export { b } from './gone.js'` },
  },
  {
    rule: 'kyc-core-knows-no-webhooks',
    breaks: 'kyc-core imports a type of webhooks',
    files: {
      'packages/kyc-core/src/status/a.ts': `import type { A } from '@kyc-relay/webhooks'\nexport type B = A`,
      'packages/webhooks/src/index.ts': `export type A = 1`,
    },
  },
  {
    rule: 'webhooks-knows-no-kyc-core',
    breaks: 'webhooks imports a type of kyc-core',
    files: {
      'packages/webhooks/src/events/a.ts': `import type { A } from '@kyc-relay/kyc-core'\nexport type B = A`,
      'packages/kyc-core/src/index.ts': `export type A = 1`,
    },
  },
  {
    rule: 'packages-know-no-app',
    breaks: 'a package imports a script',
    files: {
      'packages/webhooks/src/cli/a.ts': `import '../../../../scripts/b.js'`,
      'scripts/b.ts': `export const b = 1`,
    },
  },
  {
    rule: 'storage-takes-types-only',
    breaks: 'storage-drizzle imports a value of kyc-core',
    files: {
      'packages/storage-drizzle/src/sqlite/a.ts': `export { b } from '@kyc-relay/kyc-core'`,
      'packages/kyc-core/src/index.ts': `export const b = 1`,
    },
  },
  {
    rule: 'vault-loads-no-webhooks',
    breaks: 'the vault imports a type of webhooks',
    files: {
      'packages/storage-drizzle/src/vault/store.sqlite.ts': `import type { A } from '@kyc-relay/webhooks'\nexport type B = A`,
      'packages/webhooks/src/index.ts': `export type A = 1`,
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
    rule: 'public-entry-points-only',
    breaks: 'storage-drizzle imports a type that is not exported',
    files: {
      'packages/storage-drizzle/src/sqlite/a.ts': `import type { B } from '@kyc-relay/kyc-core/status'\nexport type A = B`,
      'packages/kyc-core/src/status/index.ts': `export type B = 1`,
    },
  },
  {
    rule: 'siblings-by-name',
    breaks: 'an example imports the file behind a public entry point',
    files: {
      'examples/a.ts': `export { b } from '../packages/webhooks/src/index.js'`,
      'packages/webhooks/src/index.ts': `export const b = 1`,
    },
  },
  {
    rule: 'node-in-its-folders',
    breaks: 'a pure file imports node:crypto',
    files: { 'packages/kyc-core/src/status/a.ts': `export { createHash } from 'node:crypto'` },
  },
  {
    rule: 'node-in-its-folders',
    breaks: 'a pure file imports crypto without the prefix',
    files: { 'packages/webhooks/src/receiver/a.ts': `export { createHash } from 'crypto'` },
  },
  {
    rule: 'pure-code-knows-no-shell',
    breaks: 'a pure file imports one under node/',
    files: {
      'packages/kyc-core/src/tokenization/a.ts': `export { b } from '../node/b.js'`,
      'packages/kyc-core/src/node/b.ts': `export const b = 1`,
    },
  },
  {
    rule: 'tests-stay-outside',
    breaks: 'a source imports from its tests',
    files: {
      'apps/reference-server/src/a.ts': `export { b } from '../test/b.js'`,
      'apps/reference-server/test/b.ts': `export const b = 1`,
    },
  },
  {
    rule: 'testing-stays-in-testing',
    breaks: 'a store leans on a store made for tests',
    files: {
      'packages/webhooks/src/https/a.ts': `export { b } from '../testing/b.js'`,
      'packages/webhooks/src/testing/b.ts': `export const b = 1`,
    },
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
    rule: 'receiver-needs-nothing-installed',
    breaks: 'the receiver adapter for Node reaches undici',
    files: {
      'packages/webhooks/src/node/index.ts': `export { b } from './b.js'`,
      'packages/webhooks/src/node/b.ts': `export { request as b } from 'undici'`,
      'packages/webhooks/package.json': `{ "name": "a", "peerDependencies": { "undici": "1" } }`,
      'node_modules/undici/package.json': `{ "name": "undici", "version": "1.0.0", "main": "index.js" }`,
      'node_modules/undici/index.js': `exports.request = 1`,
    },
  },
  {
    rule: 'root-of-kyc-core-needs-zod-alone',
    breaks: 'the root of kyc-core reaches graphql',
    files: {
      'packages/kyc-core/src/index.ts': `export type { B } from './status/b.js'`,
      'packages/kyc-core/src/status/b.ts': `import type { C } from 'graphql'\nexport type B = C`,
      'packages/kyc-core/package.json': `{ "name": "a", "peerDependencies": { "graphql": "1" } }`,
      'node_modules/graphql/package.json': `{ "name": "graphql", "version": "1.0.0", "types": "index.d.ts" }`,
      'node_modules/graphql/index.d.ts': `export type C = 1`,
    },
  },
  {
    rule: 'graphql-as-types',
    breaks: 'the resolvers load graphql',
    files: {
      'packages/kyc-core/src/graphql/a.ts': `export { b } from 'graphql'`,
      'packages/kyc-core/package.json': `{ "name": "a", "peerDependencies": { "graphql": "1" } }`,
      'node_modules/graphql/package.json': `{ "name": "graphql", "version": "1.0.0", "main": "index.js" }`,
      'node_modules/graphql/index.js': `exports.b = 1`,
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
  {
    rule: 'postgres-loads-no-sqlite',
    breaks: 'the PostgreSQL store imports a file of the SQLite store',
    files: {
      'packages/storage-drizzle/src/webhooks/a.postgres.ts': `export { b } from '../engine/sqlite/b.js'`,
      'packages/storage-drizzle/src/engine/sqlite/b.ts': `export const b = 1`,
    },
  },
  {
    rule: 'listed-in-package-json',
    breaks: 'a package imports a module that happens to be hoisted',
    files: {
      'packages/webhooks/src/cli/a.ts': `export { b } from 'hoisted'`,
      'packages/webhooks/package.json': `{ "name": "a" }`,
      'node_modules/hoisted/package.json': `{ "name": "hoisted", "version": "1.0.0", "main": "index.js" }`,
      'node_modules/hoisted/index.js': `exports.b = 1`,
    },
  },
  {
    rule: 'installed-with-the-package',
    breaks: 'a package loads one of its devDependencies',
    files: {
      'packages/webhooks/src/cli/a.ts': `export { b } from 'tool'`,
      'packages/webhooks/package.json': `{ "name": "a", "devDependencies": { "tool": "1" } }`,
      'node_modules/tool/package.json': `{ "name": "tool", "version": "1.0.0", "main": "index.js" }`,
      'node_modules/tool/index.js': `exports.b = 1`,
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

  test('every rule has a reason, and a case above that shows it bite', () => {
    expect((config.forbidden ?? []).filter((rule) => !rule.comment || rule.severity !== 'error')).toEqual([])
    expect([...new Set(cases.map(({ rule }) => rule))].sort()).toEqual([...ruleNames].sort())
  })
})
