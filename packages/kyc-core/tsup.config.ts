import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/{audit,graphql,internal,node,photos,testing}/index.ts'],
  outDir: 'dist',
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  sourcemap: true,
  tsconfig: 'tsconfig.build.json',
})
