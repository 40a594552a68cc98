import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const demo = fileURLToPath(new URL('../../dist/demo.js', import.meta.url))

it('npm run demo shows its twelve steps, all of them ok, and leaves with 0', () => {
  // Settings of a server in the same shell: the demo must not write to its files.
  const ofServer = join(tmpdir(), `kyc-relay-demo-test-${process.pid}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [demo], {
    env: { PATH: process.env['PATH'], AUDIT_CHECKPOINTS: `${ofServer}.jsonl`, PHOTO_STORAGE: `file:${ofServer}` },
    encoding: 'utf8',
    timeout: 80_000,
  })
  expect(stderr).toBe('')
  const steps = [...stdout.matchAll(/^ +(\S+) +(\d+) {2}/gm)].map(([, verdict, number]) => `${verdict} ${number}`)
  expect(steps).toEqual(Array.from({ length: 12 }, (_, index) => `ok ${index + 1}`))
  expect(status).toBe(0)
  expect([existsSync(`${ofServer}.jsonl`), existsSync(ofServer)]).toEqual([false, false])
})
