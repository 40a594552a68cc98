import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

/** The tests of the mutated code alone, without a database. `TESTS` lists them. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@kyc-relay\/([a-z-]+)\/schema\/(.+\.json)$/, replacement: `${packages}$1/schema/$2` },
      { find: /^@kyc-relay\/([a-z-]+)\/([a-z-]+)$/, replacement: `${packages}$1/src/$2/index.ts` },
      { find: /^@kyc-relay\/([a-z-]+)$/, replacement: `${packages}$1/src/index.ts` },
    ],
  },
  test: { include: (process.env['TESTS'] ?? '').split(','), testTimeout: 120_000 },
})
