import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsup'

/** The migrations are part of the code, so that a bundled server has them. */
const migrations = fileURLToPath(new URL('./migrations/', import.meta.url))
const filesOf = (set: string) =>
  readdirSync(migrations + set).map((file) => [file, readFileSync(`${migrations}${set}/${file}`, 'utf8')])
const KYC_RELAY_MIGRATIONS = JSON.stringify(
  Object.fromEntries(readdirSync(migrations).map((set) => [set, Object.fromEntries(filesOf(set))])),
)

export default defineConfig([
  {
    entry: {
      'sqlite/index': 'src/sqlite/index.ts',
      'postgres/index': 'src/postgres/index.ts',
      'apps/index': 'src/apps/index.ts',
      'testing/index': 'src/testing/index.ts',
      'internal/index': 'src/internal/index.ts',
    },
    outDir: 'dist',
    format: ['esm', 'cjs'],
    dts: true,
    splitting: false, // each engine stands alone: neither loads a chunk that knows the other's driver
    shims: true, // import.meta.url in the CJS build: the thread is found beside the package
    define: { KYC_RELAY_MIGRATIONS },
    sourcemap: true,
    tsconfig: 'tsconfig.build.json',
  },
  {
    entry: { 'cli/migrate': 'src/cli/migrate.ts' },
    outDir: 'dist',
    format: ['esm'],
    define: { KYC_RELAY_MIGRATIONS },
    sourcemap: true,
    tsconfig: 'tsconfig.build.json',
  },
])
