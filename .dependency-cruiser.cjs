// Which part may know which. `scripts/import-rules.test.ts` is a smoke test of these rules.
const { readdirSync, readFileSync } = require('node:fs')
const path = require('node:path')

const packages = readdirSync(path.join(__dirname, 'packages'))

// What a package exports is what others may import: packages/x/src/y/index.ts for `./y`.
const publicEntries = packages.flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(path.join(__dirname, 'packages', name, 'package.json'), 'utf8'))
  const pattern = (file) => file.slice(2).replaceAll('.', '[.]').replace('*', '.+')
  return Object.entries(exports).map(([key, target]) => {
    if (typeof target === 'string') return `packages/${name}/${pattern(target)}`
    return `packages/${name}/src/${key === '.' ? '' : `${pattern(key)}/`}index[.]ts`
  })
})
const publicEntry = `^(${publicEntries.join('|')})$`

// Places of a package that may use Node's built-in modules; all others run on every runtime.
const nodePlaces =
  '((node|https|embedding|engine|sqlite|postgres|cli|testing)/|(delivery|internal)/index[.]ts$|.+[.](sqlite|postgres)[.]ts$)'
const sqlitePlaces = '((engine/)?sqlite/|.+[.]sqlite[.]ts$)'
const postgresPlaces = '((engine/)?postgres/|.+[.]postgres[.]ts$)'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that load each other are one thing in several places, and start in an order nobody chose.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'nothing-unresolved',
      comment:
        'An import that resolves to nothing here resolves to nothing, or to something else, at the reader’s place.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '[?]' },
    },
    {
      name: 'kyc-core-knows-no-webhooks',
      comment: 'Taking in KYC results and sending webhooks are used apart: teams install one without the other.',
      severity: 'error',
      from: { path: '^packages/kyc-core/' },
      to: { path: ['^packages/webhooks/', 'node_modules/@kyc-relay/webhooks/'] },
    },
    {
      name: 'webhooks-knows-no-kyc-core',
      comment: 'A partner installs webhooks in a receiver: nothing of KYC ingestion may come with it.',
      severity: 'error',
      from: { path: '^packages/webhooks/' },
      to: { path: ['^packages/kyc-core/', 'node_modules/@kyc-relay/kyc-core/'] },
    },
    {
      name: 'packages-know-no-app',
      comment: 'Packages are published; apps, examples and measurements stay here.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(apps|examples|bench|proof|scripts)/' },
    },
    {
      name: 'conformance-stands-alone',
      comment: 'It judges from outside: with our own code it would share our mistakes, and need what that code needs.',
      severity: 'error',
      from: { path: '^packages/conformance/src/' },
      to: { path: ['^packages/(?!conformance/)', 'node_modules/'] },
    },
    {
      name: 'storage-takes-types-only',
      comment:
        'storage-drizzle implements ports: their types are enough. Only the vault and the photos load kyc-core, for the token format and the codes of their ports, of which a second copy could come to differ.',
      severity: 'error',
      from: {
        path: '^packages/storage-drizzle/src/',
        pathNot: '^packages/storage-drizzle/src/(vault|photos)/',
      },
      to: { path: '^packages/(kyc-core|webhooks)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'vault-loads-no-webhooks',
      comment:
        'Sealing personal data has nothing to do with sending events. The vault knows the type of the BodySealer port.',
      severity: 'error',
      from: { path: '^packages/storage-drizzle/src/vault/' },
      to: { path: '^packages/webhooks/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'public-entry-points-only',
      comment:
        'What is not exported may change in any release. Apps, examples and sibling packages show that the exported surface is enough. Tests may share what other tests start, a database for instance.',
      severity: 'error',
      from: { path: '^(?:packages/([^/]+)|apps/[^/]+|examples|bench|proof)/' },
      to: { path: '^packages/', pathNot: [publicEntry, '^packages/$1/', '^packages/[^/]+/test/'] },
    },
    {
      name: 'internal-stays-here',
      comment:
        '`./internal` promises nothing. Examples and conformance show what a user does, so they live without it.',
      severity: 'error',
      from: { path: '^(examples|packages/conformance)/' },
      to: { path: '^packages/[^/]+/(src|dist)/internal/' },
    },
    {
      name: 'siblings-by-name',
      comment: 'Across workspaces an import says the name of the package, as it would after installation.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|apps/[^/]+|examples|bench|proof)/' },
      to: {
        path: '^(packages|apps)/',
        pathNot: ['^$1/', '^(packages|apps)/[^/]+/test/'],
        dependencyTypesNot: ['aliased', 'npm', 'npm-dev', 'npm-peer', 'npm-optional'],
      },
    },
    {
      name: 'node-in-its-folders',
      comment:
        'Rules, signatures and the state of deliveries are pure: they run in any runtime and in any test. The HMAC of what an erasure blanks is computed inside a synchronous transaction, where Web Crypto cannot be awaited.',
      severity: 'error',
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: [
          `^packages/[^/]+/src/${nodePlaces}`,
          '^packages/conformance/',
          '^packages/storage-drizzle/src/audit/erasable-parts[.]ts$',
        ],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pure-code-knows-no-shell',
      comment: 'The shell (Node, network, database, terminal) calls the pure code, never the other way round.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: `^packages/[^/]+/src/${nodePlaces}` },
      to: { path: `^packages/$1/src/${nodePlaces}` },
    },
    {
      name: 'tests-stay-outside',
      comment: 'A source that needs its test cannot be published without it.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { path: ['^(packages|apps)/[^/]+/test/', '[.]test[.]tsx?$'] },
    },
    {
      name: 'testing-stays-in-testing',
      comment: 'Conformance cases and in-memory stores are for tests: no other part of a package leans on them.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: '^packages/[^/]+/src/(testing|cli)/' },
      to: { path: '^packages/[^/]+/src/testing/' },
    },
    {
      name: 'receiver-needs-nothing-installed',
      comment:
        'The root of webhooks and its ./node run in a partner’s receiver with nothing else installed: no zod, types included.',
      severity: 'error',
      from: { path: '^packages/webhooks/src/(node/)?index[.]ts$' },
      to: { path: 'node_modules/', reachable: true },
    },
    {
      name: 'root-of-kyc-core-needs-zod-alone',
      comment: 'The graphql package is an optional peer: who calls ingestSubmission directly does not install it.',
      severity: 'error',
      from: { path: '^packages/kyc-core/src/((audit|node|photos)/)?index[.]ts$' },
      to: { path: 'node_modules/(?!zod/)', reachable: true },
    },
    {
      name: 'graphql-as-types',
      comment: 'Two copies of graphql do not work together: any server’s own copy fits as long as we load none.',
      severity: 'error',
      from: { path: '^packages/kyc-core/src/' },
      to: { path: 'node_modules/graphql/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sqlite-loads-no-postgres',
      comment: 'Who runs SQLite has not installed the driver of PostgreSQL.',
      severity: 'error',
      from: { path: `^packages/storage-drizzle/src/${sqlitePlaces}` },
      to: {
        path: [
          `^packages/storage-drizzle/src/${postgresPlaces}`,
          'node_modules/(@types/)?(pg|postgres)/',
          'node_modules/drizzle-orm/(pg-|node-postgres|postgres-js)',
        ],
      },
    },
    {
      name: 'postgres-loads-no-sqlite',
      comment: 'Who runs PostgreSQL has not compiled better-sqlite3.',
      severity: 'error',
      from: { path: `^packages/storage-drizzle/src/${postgresPlaces}` },
      to: {
        path: [
          `^packages/storage-drizzle/src/${sqlitePlaces}`,
          'node_modules/(@types/)?better-sqlite3/',
          'node_modules/drizzle-orm/(sqlite-|better-sqlite3)',
        ],
      },
    },
    {
      name: 'server-loads-the-engine-it-uses',
      comment: 'The server imports an engine when it opens a database on it, so that a start loads no other one.',
      severity: 'error',
      from: { path: '^apps/reference-server/src/', pathNot: '^apps/reference-server/src/storage/(sqlite|postgres)/' },
      to: {
        path: '^packages/storage-drizzle/(src|dist)/(sqlite|postgres)/',
        dependencyTypesNot: ['type-only'],
        dynamic: false,
      },
    },
    {
      name: 'listed-in-package-json',
      comment:
        'A module that package.json does not list is found here by luck of hoisting and missing after installation.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-dev', 'npm-peer', 'npm-optional'],
      },
    },
    {
      name: 'installed-with-the-package',
      comment:
        'devDependencies are not installed with a published package. webhooks has no peers: who sends installs zod.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: {
        pathNot: 'node_modules/zod/',
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional', 'type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)((dist|coverage)/|tsup\\.config\\.bundled_)' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
    reporterOptions: { text: { highlightFocused: true } },
  },
}
