import { defineConfig } from 'tsup'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/node/index.ts',
    'src/events/index.ts',
    'src/delivery/index.ts',
    'src/https/index.ts',
    'src/internal/index.ts',
    'src/testing/index.ts',
    'src/cli/main.ts',
  ],
  outDir: 'dist',
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  // No peers, so that a receiver installs beside any version. Who sends installs both.
  external: ['zod'],
  sourcemap: true,
  tsconfig: 'tsconfig.build.json',
})
