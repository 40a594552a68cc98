import { defineConfig } from 'tsup'

export default defineConfig([
  {
    entry: {
      'sqlite/index': 'src/sqlite/index.ts',
      'postgres/index': 'src/postgres/index.ts',
      'apps/index': 'src/apps/index.ts',
      'testing/index': 'src/testing/index.ts',
    },
    outDir: 'dist',
    format: ['esm', 'cjs'],
    dts: true,
    splitting: false, // each engine stands alone: neither loads a chunk that knows the other's driver
    shims: true, // import.meta.url in the CJS build: the migrations are found beside the package
    tsconfig: 'tsconfig.build.json',
  },
  { entry: { 'cli/migrate': 'src/cli/migrate.ts' }, outDir: 'dist', format: ['esm'], tsconfig: 'tsconfig.build.json' },
])
