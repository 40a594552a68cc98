import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sized } from './scripts/test-sizes.js'

const packages = fileURLToPath(new URL('./packages/', import.meta.url))

const allTests = [
  '{packages,apps}/*/test/**/*.test.{ts,tsx}',
  '{examples,scripts}/**/*.test.ts',
  '{bench,proof}/*.test.mjs',
]

/**
 * Linux keeps this folder in memory, where a commit of SQLite waits for no disk. Tests that need a full or a failing disk
 * make their own. Containers often have little room there, and keep their files where they are by default.
 */
const memory = '/dev/shm'
const roomNeeded = 4 * 1024 ** 3
const isRoomy = (folder: string) => statfsSync(folder).bavail * statfsSync(folder).bsize > roomNeeded

/** Files that change their process for good, or look at all of it. Each gets a process of its own. */
const needOwnProcess = [
  'apps/reference-server/test/leak.test.ts', // standard output, TMPDIR
  'apps/reference-server/test/http/slow-clients.test.ts', // counts what anybody prints
  'apps/reference-server/test/start/whole-file.test.ts', // mocks node:fs
  'apps/reference-server/test/operations/tracing/*.test.ts', // the SDK of OpenTelemetry is one for a process
  'examples/receivers/recipes.test.ts', // loads modules anew
  'packages/webhooks/test/cli/trusted-authorities.test.ts', // mocks node:tls
  'packages/storage-drizzle/test/engine/sqlite/checkpoint-thread.test.ts', // counts threads
  'scripts/import-rules.test.ts', // working directory
]

/** A minute or two each, most of it waiting for processes. Begun last, one of them runs alone at the end. */
const longest = [
  'proof/campaigns.test.mjs',
  'apps/reference-server/test/operations/storage-faults.test.ts',
  'apps/reference-server/test/portal/browser.test.ts',
  'apps/reference-server/test/http/abandoned-connections.test.ts',
]
const isLong = ({ moduleId }: TestSpecification) => longest.some((file) => moduleId.endsWith(`/${file}`))

/** Without a record of earlier runs Vitest begins with the largest files, which are not those that take longest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const common = {
  // Time-outs end a test that hangs. No test is about how fast a machine is, so a busy one must never meet them. No test sets its own.
  testTimeout: sized(120_000, 1_200_000),
  hookTimeout: 120_000,
  env: existsSync(memory) && isRoomy(memory) ? { TMPDIR: memory } : {},
  // The portal serves its style sheets, and a browser judges them.
  css: { include: [/\/portal\/styles\//] },
  expect: { poll: { timeout: 60_000, interval: 20 } },
}

export default defineConfig({
  resolve: {
    // Tests read the sources, not the last build: `@kyc-relay/x/y` is packages/x/src/y/index.ts.
    alias: [
      // One copy of graphql for the sources and for graphql-http, as Node itself would load it.
      { find: /^graphql$/, replacement: fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url)) },
      { find: /^@kyc-relay\/([a-z-]+)\/schema\/(.+\.json)$/, replacement: `${packages}$1/schema/$2` },
      { find: /^@kyc-relay\/([a-z-]+)\/([a-z-]+)$/, replacement: `${packages}$1/src/$2/index.ts` },
      { find: /^@kyc-relay\/([a-z-]+)$/, replacement: `${packages}$1/src/index.ts` },
    ],
  },
  test: {
    globalSetup: ['packages/storage-drizzle/test/engine/postgres/shared-server.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxWorkers: 3, // more than two cores have: many tests wait for processes that they started
    coverage: { provider: 'v8', include: ['packages/*/src/**', 'apps/*/src/**'] },
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: 'shared',
          include: allTests,
          exclude: [...configDefaults.exclude, ...needOwnProcess],
          // The files share processes: what one has imported is there for the next.
          isolate: false,
          restoreMocks: true,
        },
      },
      {
        extends: true,
        test: { ...common, name: 'own process', include: needOwnProcess, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
