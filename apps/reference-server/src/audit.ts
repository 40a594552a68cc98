import { readCheckpoints } from './operations/audit/checkpoint-file.js'
import { runVerifyCommand } from './operations/audit/verify-command.js'
import { openAuditLogs } from './wiring/audit-logs.js'

// Nobody reads on, as after `| head`. The exit code tells the outcome all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await runVerifyCommand(process.argv.slice(2), {
  open: () => openAuditLogs(process.env),
  readCheckpoints,
  nowMs: () => performance.now(),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
