import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { 'sqlite/index': 'src/sqlite/index.ts' },
  outDir: 'dist',
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  shims: true, // import.meta.url in the CJS build: the migrations are found beside the package
  tsconfig: 'tsconfig.build.json',
})
