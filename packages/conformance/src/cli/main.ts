#!/usr/bin/env node
import { run } from './run.js'

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
