import { createLocalAuditSeal } from '@kyc-relay/kyc-core/node'
import { parseAuditEnv } from '../env.js'
import type { VerifyCommandDependencies } from '../operations/audit/verify-command.js'
import { readKeyFile } from '../start/local-files.js'
import { openAuditLog } from './storage.js'

/** Reads the settings and the key file for the audit command. It opens each log when asked. */
export async function openAuditLogs(
  variables: Readonly<Record<string, string | undefined>>,
): ReturnType<VerifyCommandDependencies['open']> {
  const env = parseAuditEnv(variables)
  const seal = createLocalAuditSeal({ keys: await readKeyFile(env.keyFile) })
  return {
    seal,
    logs: {
      stores: () => openAuditLog(env.databaseUrl, { log: 'stores', seal }, env.transactionPooler),
      vault: () => openAuditLog(env.vaultDatabaseUrl, { log: 'vault', seal }, env.transactionPooler),
    },
    checkpointPath: env.auditCheckpoints,
    unknownSettings: env.unknownSettings,
  }
}
