// Why: a command whose output nobody reads on, as after `| head`, ends by its own exit code and without a stack trace.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const programs = {
  main: new URL('../../dist/main.js', import.meta.url),
  audit: new URL('../../dist/audit.js', import.meta.url),
  operator: new URL('../../dist/operator.js', import.meta.url),
}

test.each([
  ['main', ['--help'], /^$/],
  ['audit', ['--help'], /^$/],
  ['operator', ['Ada Example', 'read'], /^The token of this operator, shown once: kyc_op_[\w-]{43}\n$/],
] as const)('%s %j outlives a closed standard output', async (program, args, said) => {
  const child = spawn(process.execPath, [fileURLToPath(programs[program]), ...args])
  child.stdout.destroy()
  const errors = text(child.stderr)
  expect([(await once(child, 'exit'))[0], await errors]).toEqual([0, expect.stringMatching(said)])
})

test.each([
  ['main', ['--port', '1'], 64],
  ['audit', ['nothing'], 64],
  ['operator', ['Ada Example'], 64],
] as const)('%s %j outlives a closed standard error', async (program, args, code) => {
  const child = spawn(process.execPath, [fileURLToPath(programs[program]), ...args])
  child.stderr.destroy()
  child.stdout.resume()
  expect((await once(child, 'exit'))[0]).toBe(code)
})
