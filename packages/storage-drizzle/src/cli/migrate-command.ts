import { parseArgs } from 'node:util'
import { version } from '../../package.json'
import type { MigrationStep, MigrationTarget } from '../engine/migrations/ledger.js'
import type { OwnTables } from '../engine/migrations/migration-files.js'
import { StorageError } from '../storage-error.js'

/** Tables to migrate: those of the stores, the vault, or a receiver of webhooks. */
export type DatabasePart = 'stores' | 'vault' | 'receiver'

/** Dependencies of the command. */
export interface MigrateCommandDependencies {
  /** Opens the migration history of a database URL. Writes nothing. */
  open(url: string, part: DatabasePart, ownTables: OwnTables | null): Promise<MigrationTarget>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Prints a result on standard output. */
  print(line: string): void
  /** Prints an error on standard error. */
  warn(line: string): void
  /** Status line of a terminal; null when the output is not a terminal. */
  readonly terminal: TerminalLine | null
}

/** A status line that is overwritten. */
export interface TerminalLine {
  /** Replaces the text; `''` removes the line. */
  show(text: string): void
  /** Calls back every second until the returned function is called. */
  everySecond(callback: () => void): () => void
}

const usage = `kyc-relay-migrate: applies the migrations of @kyc-relay/storage-drizzle

  kyc-relay-migrate status [--vault | --receiver | --own-tables <prefix>=<folder>] [<database>]
      what is applied and what is pending, with the prefix of its tables; exit code 2 when something is pending
  kyc-relay-migrate up [--vault | --receiver | --own-tables <prefix>=<folder>] [--dry-run] [<database>]
      applies what is pending; with --dry-run prints its SQL instead
  kyc-relay-migrate --version

<database> is file:<path>, a path, or postgres://…; default: DATABASE_URL, with --vault VAULT_DATABASE_URL.
--receiver is for the database of an application that receives webhooks and deduplicates them there.
--own-tables adds an application's own migrations, as the option ownTables of the stores does: portal_=migrations/sqlite`

/** Exit codes: 0 done, 1 refused or failed, 2 (status only) migrations are pending, 64 wrong usage. */
export async function runMigrateCommand(
  parameters: readonly string[],
  dependencies: MigrateCommandDependencies,
): Promise<number> {
  const { print, warn, environment } = dependencies
  if (parameters.includes('--help') || parameters.includes('-h')) {
    print(usage)
    return 0
  }
  if (parameters.length === 1 && parameters[0] === '--version') {
    print(version)
    return 0
  }
  const parsed = parse(parameters)
  const refuse = (problem: string) => {
    warn(`${problem}\n\n${usage}`)
    return 64
  }
  if (typeof parsed === 'string') return refuse(parsed)
  const variable = parsed.part === 'vault' ? 'VAULT_DATABASE_URL' : 'DATABASE_URL'
  const url = parsed.url ?? environment[variable]
  if (url === undefined || url === '') {
    return refuse(`No database is given. Give it as the last argument, or set ${variable}.`)
  }
  if (isOfAnotherKind(url)) {
    const place = parsed.url === undefined ? variable : 'The last argument'
    return refuse(`${place}: expected file:<path>, a path, or postgres://…`)
  }
  try {
    const target = await dependencies.open(url, parsed.part, parsed.ownTables)
    try {
      return await (parsed.command === 'status'
        ? printStatus(target, print)
        : apply(target, parsed.dryRun, dependencies))
    } finally {
      await target.close()
    }
  } catch (error) {
    warn(
      error instanceof StorageError
        ? error.toString()
        : isMissingModule(error)
          ? `The driver is not installed here: npm install ${/^postgres/.test(url) ? 'pg' : 'better-sqlite3'}`
          : 'The database could not be opened.',
    )
    return 1
  }
}

/**
 * Refuses other URL schemes: `mysql://…` or a misspelt `postgress://…` would otherwise be a file name. A drive (`C:\…`)
 * has one letter.
 */
function isOfAnotherKind(url: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(url) && !/^(?:file|postgres|postgresql):/.test(url)
}

function isMissingModule(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

interface Parsed {
  readonly command: 'status' | 'up'
  readonly part: DatabasePart
  readonly dryRun: boolean
  readonly ownTables: OwnTables | null
  readonly url: string | undefined
}

/** Reads the arguments. Returns a text that says what is wrong, without any argument. */
function parse(parameters: readonly string[]): Parsed | string {
  try {
    const flag = { type: 'boolean', default: false } as const
    const { values, positionals } = parseArgs({
      args: [...parameters],
      options: { vault: flag, receiver: flag, 'dry-run': flag, 'own-tables': { type: 'string' } },
      allowPositionals: true,
    })
    const [command, url, ...rest] = positionals
    if (command === undefined) return 'No command is given. The commands are status and up.'
    if (command !== 'status' && command !== 'up') return 'The command is unknown. The commands are status and up.'
    if (rest.length > 0) return 'There are too many arguments. Give one database.'
    if (values.vault && values.receiver) return 'Give --vault or --receiver, not both: each is one database.'
    const part = values.vault ? 'vault' : values.receiver ? 'receiver' : 'stores'
    const ownTables = parseOwnTables(values['own-tables'])
    if (ownTables === undefined) return '--own-tables: expected <prefix>=<folder>, such as portal_=migrations/sqlite'
    if (ownTables !== null && part !== 'stores')
      return '--own-tables is for the database without --vault or --receiver.'
    return { command, part, ownTables, dryRun: values['dry-run'], url }
  } catch {
    return 'An option is unknown or lacks its value. The options are --vault, --receiver, --own-tables and --dry-run.'
  }
}

/** Reads `<prefix>=<folder>`; undefined when it is something else. */
function parseOwnTables(text: string | undefined): OwnTables | null | undefined {
  if (text === undefined) return null
  const [, prefix, migrations] = /^([a-z][a-z0-9_]*_)=(.+)$/.exec(text) ?? []
  return prefix === undefined || migrations === undefined ? undefined : { prefix, migrations }
}

async function printStatus(target: MigrationTarget, print: (line: string) => void): Promise<number> {
  const { applied, pending, fileIsMissing } = await target.status()
  for (const { name, prefix } of applied) print(`applied  ${name} (${prefix})`)
  for (const { name, prefix } of pending) print(`pending  ${name} (${prefix})`)
  if (applied.length + pending.length === 0) print('There are no migrations.')
  if (fileIsMissing) print('The file does not exist. If the path is right, up creates it.')
  return pending.length === 0 ? 0 : 2
}

async function apply(
  target: MigrationTarget,
  dryRun: boolean,
  { print, terminal }: Pick<MigrateCommandDependencies, 'print' | 'terminal'>,
): Promise<number> {
  if (!dryRun) {
    const applied = await applyTelling(target, print, terminal)
    if (applied.length === 0) print('Nothing to apply.')
    return 0
  }
  const { pending } = await target.status()
  for (const { name, prefix, sql } of pending) print(`-- ${name} (${prefix})\n${sql}`)
  if (pending.length === 0) print('Nothing to apply.')
  return 0
}

/** Prints a line for each applied migration. On a terminal it also shows the current migration and its duration. */
async function applyTelling(
  target: MigrationTarget,
  print: (line: string) => void,
  terminal: TerminalLine | null,
): Promise<readonly string[]> {
  let inFlight: MigrationStep | null = null
  let seconds = 0
  const show = () => {
    if (inFlight === null) return
    const { name, prefix, number, total } = inFlight
    terminal?.show(`applying ${name} (${prefix}), ${number} of ${total}${seconds === 0 ? '' : `, ${seconds} s`}`)
  }
  const stopClock = terminal?.everySecond(() => {
    seconds += 1
    show()
  })
  try {
    return await target.up({
      onMigration(step) {
        if (step.state === 'applying') {
          inFlight = step
          seconds = 0
          show()
        } else {
          terminal?.show('')
          print(`applied  ${step.name} (${step.prefix})`)
        }
      },
      onMigrationWaiting: ({ waitedMs }) => print(`waiting for a lock, ${Math.round(waitedMs / 1_000)} s`),
    })
  } finally {
    stopClock?.()
    terminal?.show('')
  }
}
