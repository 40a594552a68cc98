#!/usr/bin/env node
import { run } from './run.js'

// Nobody reads on, as after `| head`. The exit code tells the outcome all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

run(process.argv.slice(2), {
  env: process.env,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  now: () => new Date(),
}).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : 'Something went wrong.')
    process.exitCode = 1
  },
)
