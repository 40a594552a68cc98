import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const packages = fileURLToPath(new URL('./packages/', import.meta.url))

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
    include: ['{packages,apps}/*/test/**/*.test.{ts,tsx}', '{examples,scripts}/**/*.test.ts'],
    globalSetup: ['packages/storage-drizzle/test/postgres/shared-server.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Time-outs end a test that hangs. No test is about how fast a machine is, so a busy one must never meet them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    coverage: { provider: 'v8', include: ['packages/*/src/**', 'apps/*/src/**'] },
  },
})
