import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/demo.ts', 'src/audit.ts'],
  outDir: 'dist',
  format: ['esm'],
  clean: true,
  // Redoc is a page's script and not code of the server, so it is bundled as text.
  loader: { '.css': 'text', '.standalone.js': 'text' },
  noExternal: ['redoc'],
  tsconfig: 'tsconfig.json',
})
