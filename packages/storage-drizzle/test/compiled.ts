import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { onTestFinished } from 'vitest'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const packages = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Makes a program of TypeScript text that other Node processes can run. It imports our sources as `#src/…`, samples as `#test/…`, and sits
 * inside the package, so that it finds the migrations and the drivers as the built package does.
 */
export function compileProgram(source: string): string {
  mkdirSync(join(packageFolder, 'node_modules'), { recursive: true })
  const folder = mkdtempSync(join(packageFolder, 'node_modules/.compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const entry = join(folder, 'program.ts')
  writeFileSync(entry, source.replaceAll('#src/', `${packageFolder}src/`).replaceAll('#test/', `${packageFolder}test/`))
  const outfile = join(folder, 'program.mjs')
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3', 'drizzle-orm', 'pg', 'zod', 'iso-3166'],
    alias: {
      // Each subpath is a folder there.
      '@kyc-relay/kyc-core': join(packages, 'kyc-core/src'),
      '@kyc-relay/webhooks': join(packages, 'webhooks/src'),
    },
    logLevel: 'silent',
  })
  return outfile
}
