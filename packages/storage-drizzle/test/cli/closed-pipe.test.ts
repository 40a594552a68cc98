import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { compileProgram } from '../compiled.js'

test('migrations are applied to the end when nobody reads what is printed', async () => {
  const program = compileProgram("await import('#src/cli/migrate.js')")
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-migrate-'))
  const run = (command: string) => spawn(process.execPath, [program, command, join(folder, 'kyc.db')])
  try {
    const child = run('up')
    child.stdout.destroy()
    const said = text(child.stderr)
    expect([(await once(child, 'exit'))[0], await said]).toEqual([0, ''])
    expect((await once(run('status'), 'exit'))[0]).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
