import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  verifyAuditLog,
  type AuditFinding,
  type AuditLog,
  type AuditReport,
  type AuditSeal,
  type SealedCheckpoint,
} from '@kyc-relay/kyc-core/audit'
import { AUDIT_FINDING_MESSAGES, type AuditLogName } from '@kyc-relay/kyc-core/internal'
import { KycError } from '@kyc-relay/kyc-core'
import { StorageError } from '@kyc-relay/storage-drizzle/internal'
import { EnvError } from '../../env.js'
import { StartError } from '../../start/start-error.js'
import type { CheckpointFile } from './checkpoint-file.js'

/** Dependencies of the command. */
export interface VerifyCommandDependencies {
  /** Reads settings and the key file. Writes nothing. */
  open(): Promise<{
    readonly seal: AuditSeal
    /** Opens each log when it is verified. */
    readonly logs: Readonly<Record<AuditLogName, () => Promise<AuditLog & { close(): Promise<void> }>>>
    /** Configured path of the checkpoints. */
    readonly checkpointPath: string
    /** Variables that look like a misspelt setting. */
    readonly unknownSettings: readonly string[]
  }>
  /** Reads a file; null if it does not exist. */
  readCheckpoints(path: string): Promise<CheckpointFile | null>
  readonly nowMs: () => number
  /** Prints the result on standard output. */
  print(line: string): void
  /** Prints progress and warnings on standard error. */
  warn(line: string): void
}

const usage = `kyc-relay-audit: verifies the audit log of the reference server

  node dist/audit.js verify [--json] [--log stores|vault] [--checkpoints <file>]…
      reads DATABASE_URL, VAULT_DATABASE_URL and KEY_FILE as the server does, and the checkpoints of AUDIT_CHECKPOINTS or
      of the files given; writes nothing. --json prints JSON lines

Exit codes: 0 as it was written, 1 something was found, 2 it could not be verified, 64 wrong usage.`

/** Minimum time between two lines of progress, in milliseconds. */
const progressEveryMs = 2_000

interface Asked {
  readonly json: boolean
  readonly logs: readonly AuditLogName[]
  readonly checkpoints: readonly string[]
}

/** @returns the exit code. */
export async function runVerifyCommand(
  parameters: readonly string[],
  dependencies: VerifyCommandDependencies,
): Promise<number> {
  const { print, warn } = dependencies
  if (parameters.includes('--help') || parameters.includes('-h')) {
    print(usage)
    return 0
  }
  const asked = parse(parameters)
  if (typeof asked === 'string') {
    warn(`${asked}\n\n${usage}`)
    return 64
  }
  try {
    return (await verify(asked, dependencies)) === 0 ? 0 : 1
  } catch (error) {
    warn(textOf(error))
    return 2
  }
}

/** Reads the arguments. Returns a text that says what is wrong, without any argument. */
function parse(parameters: readonly string[]): Asked | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...parameters],
      options: {
        json: { type: 'boolean', default: false },
        log: { type: 'string' },
        checkpoints: { type: 'string', multiple: true, default: [] },
      },
      allowPositionals: true,
    })
    if (positionals[0] === undefined) return 'No command is given. The command is verify.'
    if (positionals[0] !== 'verify') return 'The command is unknown. The command is verify.'
    if (positionals.length > 1) return 'There is an argument after verify. Name files with --checkpoints <file>.'
    const { json, log, checkpoints } = values
    if (log === undefined) return { json, checkpoints, logs: ['stores', 'vault'] }
    return log === 'stores' || log === 'vault' ? { json, checkpoints, logs: [log] } : '--log is stores or vault.'
  } catch {
    return 'An option is unknown or lacks its value. The options are --json, --log <log> and --checkpoints <file>.'
  }
}

/** Verifies the logs and returns the number of findings. */
async function verify(asked: Asked, dependencies: VerifyCommandDependencies): Promise<number> {
  const { print } = dependencies
  const { seal, logs, checkpointPath, unknownSettings } = await dependencies.open()
  // With a misspelt name, a database would be verified that nobody meant.
  for (const one of unknownSettings) dependencies.warn(`Unknown setting ${one}`)
  // Read before the databases, so that every entry of a checkpoint is already in the log.
  const checkpoints = await checkpointsOf(asked, checkpointPath, dependencies)
  let findings = 0
  for (const name of asked.logs) {
    const failNaming = (error: unknown): never => {
      throw error instanceof StorageError ? new CommandError(`${settingOf[name]}: ${readFailureOf(error)}`) : error
    }
    const log = await logs[name]().catch(failNaming)
    try {
      const report = await verifyAuditLog({
        log: inTurns(log),
        seal,
        checkpoints,
        onFinding: (finding) => print(asked.json ? jsonOf(finding) : lineOf(finding)),
        onProgress: progressOf(name, dependencies),
      }).catch(failNaming)
      print(asked.json ? JSON.stringify({ type: 'report', log: name, ...report }) : summaryOf(name, report))
      if (report.checkpoints === 0) {
        dependencies.warn(`${name}: no checkpoint. Entries that were cut off at the end would not be noticed.`)
      }
      findings += report.findings
    } finally {
      await log.close()
    }
  }
  return findings
}

/** Ends the turn before each page: SQLite reads without ending it, so a signal would be heard only after the last page. */
function inTurns(log: AuditLog): AuditLog {
  const inTurn = <Page, Read>(read: (page: Page) => Promise<Read>) => {
    return async (page: Page) => {
      await nextTurn()
      return read(page)
    }
  }
  const { listAccess } = log
  return {
    ...log,
    listEntries: inTurn((page) => log.listEntries(page)),
    listUnaccounted: inTurn((page) => log.listUnaccounted(page)),
    ...(listAccess === undefined ? {} : { listAccess: inTurn(listAccess) }),
  }
}

async function checkpointsOf(
  { checkpoints: given }: Asked,
  configured: string,
  { readCheckpoints, warn }: VerifyCommandDependencies,
): Promise<readonly SealedCheckpoint[]> {
  const all: SealedCheckpoint[] = []
  let isWritten = false
  for (const path of given.length === 0 ? [configured] : given) {
    const file = await readCheckpoints(path).catch(() => {
      throw new CommandError('AUDIT_CHECKPOINTS, or a file of --checkpoints, cannot be read.')
    })
    // A file named in the arguments must exist. The configured file is created with the first checkpoint.
    if (file === null && given.length > 0) {
      throw new CommandError('A file of --checkpoints does not exist. Name an existing file.')
    }
    if (file !== null && file.unreadableLines > 0) warn(`${file.unreadableLines} lines of checkpoints cannot be read.`)
    isWritten ||= file !== null
    all.push(...(file?.checkpoints ?? []))
  }
  // An emptied file would hide that the newest entries were cut off.
  if (isWritten && all.length === 0) {
    throw new CommandError(
      given.length > 0
        ? 'The files of --checkpoints have no checkpoint. Name a file that the server wrote.'
        : 'The file of AUDIT_CHECKPOINTS has no checkpoint, although the server creates it with the first one. Restore it from its copy, or move it away to verify without checkpoints.',
    )
  }
  return all
}

/** Stops the command. The message is a fixed text. */
class CommandError extends Error {}

/** A database that the server never used is no temporary failure. SQLite reads none in a folder that it cannot write to. */
const readFailureOf = ({ code, cause, message }: StorageError) =>
  code === 'STORE_UNAVAILABLE' && cause === null
    ? `${code}: The file does not exist, lies in a read-only folder, or the database does not answer. Set it to the database of the server, or to a copy.`
    : `${[code, cause].filter((one) => one !== null).join(', ')}: ${message}`

/** The setting may be absent, so its default is named too. */
const settingOf: Readonly<Record<AuditLogName, string>> = {
  stores: 'DATABASE_URL (default: kyc.db in DATA_DIR)',
  vault: 'VAULT_DATABASE_URL (default: vault.db in DATA_DIR, or DATABASE_URL with PostgreSQL)',
}

function progressOf(
  name: AuditLogName,
  { nowMs, warn }: VerifyCommandDependencies,
): (progress: { readonly entries: number; readonly total: number; readonly rows: number }) => void {
  let toldAt = nowMs()
  return ({ entries, total, rows }) => {
    if (nowMs() - toldAt < progressEveryMs) return
    toldAt = nowMs()
    warn(`${name}: ${entries} of ${total} entries, ${rows} rows`)
  }
}

function jsonOf(finding: AuditFinding): string {
  return JSON.stringify({ type: 'finding', ...finding, message: AUDIT_FINDING_MESSAGES[finding.code] })
}

function lineOf({ code, log, chain, sequence, toSequence, subject }: AuditFinding): string {
  const place = [
    log,
    ...(chain === null ? [] : [`chain ${chain}`]),
    ...(sequence === null ? [] : [`entry ${sequence}`]),
    ...(toSequence === undefined ? [] : [code === 'ENTRY_MOVED' ? `sealed for ${toSequence}` : `to ${toSequence}`]),
    ...(subject === null ? [] : [`of ${subject}`]),
  ]
  return `${code} ${place.join(', ')}: ${AUDIT_FINDING_MESSAGES[code]}`
}

function summaryOf(name: AuditLogName, { startedAtMs, entries, rows, checkpoints, findings }: AuditReport): string {
  const since = startedAtMs === null ? 'never begun' : `begun ${new Date(startedAtMs).toISOString()}`
  const found = findings === 0 ? 'as it was written' : `${findings} findings`
  return `${name}: ${found}; ${since}, ${entries} entries, ${rows} rows looked at, ${checkpoints} checkpoints`
}

/** Prints only fixed texts: other messages could quote a path or a value. */
function textOf(error: unknown): string {
  if (error instanceof StorageError || error instanceof KycError) return `${error.code}: ${error.message}`
  const isFixed = error instanceof CommandError || error instanceof EnvError || error instanceof StartError
  return isFixed ? error.message : 'The audit log could not be verified.'
}
