import { readCheckpoints } from './operations/audit/checkpoint-file.js'
import { runVerifyCommand } from './operations/audit/verify-command.js'
import { openAuditLogs } from './wiring/audit-logs.js'

process.exitCode = await runVerifyCommand(process.argv.slice(2), {
  open: () => openAuditLogs(process.env),
  readCheckpoints,
  nowMs: () => performance.now(),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
