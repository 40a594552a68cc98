import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StorageError } from '../../storage-error.js'
import { findAbove } from '../find-above.js'

/** One numbered SQL file of the package. It is never edited after its release. */
export interface Migration {
  /** Number of the migration, from 1 without gaps. */
  readonly number: number
  /** File name without its ending, for example `0001_create_tables`. */
  readonly name: string
  /** First part of the names of its tables, for example `kyc_relay_`. It tells histories of one database apart. */
  readonly prefix: string
  readonly sql: string
  /** SHA-256 of the text with LF line endings, in hex: the same on a checkout with CRLF. */
  readonly sha256: string
}

/** Tables of the embedding system in the same database, with migrations of their own. */
export interface OwnTables {
  /**
   * First part of the name of every table, for example `portal_`: lower-case letters, digits and `_`, with `_` at the
   * end. The ledger is a table with this prefix and `migrations`. Must not begin with `kyc_relay_`.
   */
  readonly prefix: string
  /** Path of the folder with the migrations: `0001_create_tables.sql`, … An applied file is never edited. */
  readonly migrations: string
}

/** Folders under `migrations/`, one for each history: stores, vault, and receiver of webhooks; or another folder. */
export type MigrationSet = `${'sqlite' | 'postgres'}${'' | '-vault' | '-receiver'}` | OwnTables

/** Prefixes of table names. Other tables of this package belong to the stores. */
const prefixes = { vault: 'kyc_relay_vault_', receiver: 'kyc_relay_receiver_' } as const

const packagePrefix = 'kyc_relay_'

/** @throws `ARGUMENT_INVALID` for a prefix of tables of their own that is not as {@link OwnTables} says. */
function prefixOf(set: MigrationSet): string | null {
  if (typeof set !== 'string') {
    const { prefix } = set
    if (!/^[a-z][a-z0-9_]*_$/.test(prefix) || prefix.startsWith(packagePrefix)) {
      throw new StorageError('ARGUMENT_INVALID')
    }
    return prefix
  }
  if (set.endsWith('-vault')) return prefixes.vault
  return set.endsWith('-receiver') ? prefixes.receiver : null
}

/**
 * True when the table is one of this history: each proves its own tables, so that they may share a database. The table that
 * counts the commits of a SQLite file belongs to the file and not to a schema.
 */
export function ownsTable(set: MigrationSet, table: string): boolean {
  if (table.endsWith('commit_count')) return false
  const prefix = prefixOf(set)
  if (prefix !== null) return table.startsWith(prefix)
  return !Object.values(prefixes).some((other) => table.startsWith(other))
}

/** Name of the table that records which migrations of this history were applied. */
export function ledgerOf(set: MigrationSet): string {
  return `${tablePrefixOf(set)}migrations`
}

/** First part of the names of the tables of this history. */
export function tablePrefixOf(set: MigrationSet): string {
  return prefixOf(set) ?? packagePrefix
}

/** First part of the names of all tables among which {@link ownsTable} chooses. */
export function familyOf(set: MigrationSet): string {
  return typeof set === 'string' ? packagePrefix : set.prefix
}

/** Names of the indexes that these migrations create. Another index is an operator's own. */
export function shippedIndexes(migrations: readonly Migration[]): ReadonlySet<string> {
  const created = migrations.flatMap(({ sql }) => [...sql.matchAll(/^CREATE (?:UNIQUE )?INDEX [`"]?(\w+)/gm)])
  return new Set(created.map(([, name = '']) => name))
}

/** Files of the package by folder and name. The build defines it, so that a bundled server has them; sources read the files. */
declare const KYC_RELAY_MIGRATIONS: Readonly<Record<string, Readonly<Record<string, string>>>>

/** Returns the text of each migration file by its name. */
function textsOf(set: MigrationSet): Readonly<Record<string, string>> {
  if (typeof set === 'string' && typeof KYC_RELAY_MIGRATIONS !== 'undefined') return KYC_RELAY_MIGRATIONS[set] ?? {}
  const folder = typeof set === 'string' ? findFolder(set) : set.migrations
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}

/**
 * Returns the migrations of the package, or those of the embedding system.
 *
 * @throws `MIGRATIONS_NOT_FOUND` also when a number is missing or repeated.
 */
export function readMigrations(set: MigrationSet): readonly Migration[] {
  const prefix = tablePrefixOf(set)
  const files = Object.entries(textsOf(set)).sort(([one], [other]) => (one < other ? -1 : 1))
  if (files.length === 0) throw new StorageError('MIGRATIONS_NOT_FOUND')
  return files.map(([file, text], index) => {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1])
    if (number !== index + 1) throw new StorageError('MIGRATIONS_NOT_FOUND')
    const sql = text.replaceAll('\r\n', '\n')
    const sha256 = createHash('sha256').update(sql, 'utf8').digest('hex')
    return { number, name: file.slice(0, -'.sql'.length), prefix, sql, sha256 }
  })
}

function findFolder(set: string): string {
  const folder = findAbove(dirname(fileURLToPath(import.meta.url)), join('migrations', set))
  if (folder === null) throw new StorageError('MIGRATIONS_NOT_FOUND')
  return folder
}
