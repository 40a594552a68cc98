#!/usr/bin/env node
import { endsItself, run } from './run.js'

const args = process.argv.slice(2)
const stop = new AbortController()
// The others have nothing to close. For them Node's default stays, which ends the process at once.
if (endsItself(args)) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
// Nobody reads on, as after `tail | head`: what runs until it is stopped ends then. Another failure, such as a full disk,
// loses what was printed.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1
    stop.abort()
  })

run(args, {
  env: process.env,
  stdin: process.stdin,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  colours: process.stdout.isTTY && !process.env['NO_COLOR'],
  stopped: stop.signal,
  now: () => new Date(),
}).then(
  (code) => {
    process.exitCode ||= code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : 'Something went wrong.')
    process.exitCode = 1
  },
)
