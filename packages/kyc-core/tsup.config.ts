import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/graphql/index.ts', 'src/node/index.ts', 'src/testing/index.ts'],
  outDir: 'dist',
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  tsconfig: 'tsconfig.build.json',
})
