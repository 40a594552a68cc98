import { cp } from 'node:fs/promises'
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
  // One program starts faster than modules in files of their own, and needs less memory. A native addon cannot be
  // bundled, and an instrumentation of OpenTelemetry replaces the module `pg`.
  noExternal: [/^(?!better-sqlite3$|pg$)/],
  // Bundled CommonJS modules call `require` for modules of Node.
  banner: {
    js: "import { createRequire as createServerRequire } from 'node:module'; const require = createServerRequire(import.meta.url)",
  },
  // The storage package searches for the file of its thread beside the program.
  onSuccess: () => cp('../../packages/storage-drizzle/threads', 'dist/threads', { recursive: true }),
  tsconfig: 'tsconfig.json',
})
