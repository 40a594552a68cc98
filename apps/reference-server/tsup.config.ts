import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/demo.ts', 'src/audit.ts'],
  outDir: 'dist',
  format: ['esm'],
  clean: true,
  loader: { '.css': 'text' },
  tsconfig: 'tsconfig.json',
})
