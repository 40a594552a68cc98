import { readCheckpoints } from './operations/audit/checkpoint-file.js'
import { runVerifyCommand } from './operations/audit/verify-command.js'
import { openAuditLogs } from './wiring/audit-logs.js'

// Nobody reads on, as after `| head`. The exit code tells the outcome all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

// The first process of a container gets only signals that it listens to. It writes nothing, so it can end anywhere.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

process.exitCode = await runVerifyCommand(process.argv.slice(2), {
  open: () => openAuditLogs(process.env),
  readCheckpoints,
  nowMs: () => performance.now(),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
