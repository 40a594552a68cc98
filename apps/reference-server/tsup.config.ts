import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts', 'src/demo.ts', 'src/audit.ts', 'src/operator.ts'],
  outDir: 'dist',
  format: ['esm'],
  clean: true,
  // What pages load or show is no code of the server, so it is bundled as text.
  loader: {
    '.css': 'text',
    '.standalone.js': 'text',
    '.node.mjs': 'text',
    '.py': 'text',
    '.rb': 'text',
    '.php': 'text',
    '.go': 'text',
    '.java': 'text',
  },
  noExternal: ['redoc'],
  tsconfig: 'tsconfig.json',
})
