import { createLocalAuditSeal } from '@kyc-relay/kyc-core/node'
import { readCheckpoints } from './operations/audit/checkpoint-file.js'
import { runVerifyCommand } from './operations/audit/verify-command.js'
import { parseAuditEnv } from './env.js'
import { readKeyFile } from './start/local-files.js'
import { openAuditLog } from './wiring/storage.js'

process.exitCode = await runVerifyCommand(process.argv.slice(2), {
  async open() {
    const env = parseAuditEnv(process.env)
    const seal = createLocalAuditSeal({ keys: await readKeyFile(env.keyFile) })
    return {
      seal,
      logs: {
        stores: () => openAuditLog(env.databaseUrl, { log: 'stores', seal }, env.transactionPooler),
        vault: () => openAuditLog(env.vaultDatabaseUrl, { log: 'vault', seal }, env.transactionPooler),
      },
      checkpointPath: env.auditCheckpoints,
    }
  },
  readCheckpoints,
  nowMs: () => performance.now(),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
