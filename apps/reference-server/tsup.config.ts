import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/demo.ts', 'src/audit.ts'],
  outDir: 'dist',
  format: ['esm'],
  clean: true,
  tsconfig: 'tsconfig.json',
})
