import { defineConfig } from 'tsup'

const common = { outDir: 'dist', tsconfig: 'tsconfig.build.json', sourcemap: true } as const

export default defineConfig([
  // One copy of the cases for the command and the library.
  { ...common, entry: ['src/index.ts', 'src/cli/main.ts'], format: 'esm', dts: { entry: 'src/index.ts' } },
  { ...common, entry: ['src/index.ts'], format: 'cjs', dts: true, shims: true },
])
