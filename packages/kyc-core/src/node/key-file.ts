import * as z from 'zod'
import { checkArgument, isTime } from '../check-argument.js'
import { KycError } from '../kyc-error.js'

const KEY_BYTES = 32

const keyFileSchema = z.strictObject({
  version: z.literal(1),
  activeSealKeyId: z.string(),
  activeFingerprintKeyId: z.string(),
  activeAuditKeyId: z.string().optional(),
  keys: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[\w-]{1,64}$/),
        purpose: z.enum(['seal', 'fingerprint', 'audit']),
        key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
        createdAt: z.string(),
      }),
    )
    .min(2),
})

/** One key of a {@link KeyFile}: 32 random bytes. */
export interface LocalKey {
  readonly id: string
  readonly purpose: 'seal' | 'fingerprint' | 'audit'
  readonly key: Uint8Array
  readonly createdAt: string
}

/**
 * Keys of a local cipher. The active seal key wraps new data keys; the other seal keys open older data keys. The
 * fingerprint key is separate and is never replaced: it detects replays and duplicates.
 *
 * The active audit key seals new entries of the audit log; the other audit keys check older entries. In a file without
 * an audit key, the audit key is derived from the fingerprint key.
 */
export interface KeyFile {
  readonly activeSealKeyId: string
  readonly activeFingerprintKeyId: string
  readonly activeAuditKeyId?: string
  readonly keys: readonly LocalKey[]
}

/**
 * Parses the JSON text of a key file.
 *
 * @throws `KEY_FILE_INVALID`; the error holds no part of the text.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * export const openCipher = (path: string) => createLocalCipher({ keys: parseKeyFile(readFileSync(path, 'utf8')) })
 * ```
 */
export function parseKeyFile(json: string): KeyFile {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new KycError('KEY_FILE_INVALID')
  }
  const parsed = keyFileSchema.safeParse(value)
  if (!parsed.success) throw new KycError('KEY_FILE_INVALID')
  const { activeSealKeyId, activeFingerprintKeyId, activeAuditKeyId } = parsed.data
  const keys = parsed.data.keys.map((key) => ({ ...key, key: new Uint8Array(Buffer.from(key.key, 'base64')) }))
  const isActive = (id: string, purpose: LocalKey['purpose']) =>
    keys.some((key) => key.id === id && key.purpose === purpose)
  const distinct = new Set(keys.map((key) => key.id)).size === keys.length
  if (!distinct || !isActive(activeSealKeyId, 'seal') || !isActive(activeFingerprintKeyId, 'fingerprint')) {
    throw new KycError('KEY_FILE_INVALID')
  }
  if (activeAuditKeyId === undefined) return { activeSealKeyId, activeFingerprintKeyId, keys }
  if (!isActive(activeAuditKeyId, 'audit')) throw new KycError('KEY_FILE_INVALID')
  return { activeSealKeyId, activeFingerprintKeyId, activeAuditKeyId, keys }
}

interface KeySource {
  /** For example `randomBytes` of `node:crypto`. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly now: Date
}

function checkSource(source: KeySource): void {
  const { randomBytes, now, ...unknown } = { ...source }
  checkArgument(typeof randomBytes === 'function' && isTime(now) && Object.keys(unknown).length === 0)
}

function createKey(purpose: LocalKey['purpose'], source: KeySource): LocalKey {
  return {
    id: `${purpose}-${Buffer.from(source.randomBytes(8)).toString('hex')}`,
    purpose,
    key: source.randomBytes(KEY_BYTES),
    createdAt: source.now.toISOString(),
  }
}

function keyFileText(file: KeyFile): string {
  const keys = file.keys.map((key) => ({ ...key, key: Buffer.from(key.key).toString('base64') }))
  const text = `${JSON.stringify({ version: 1, ...file, keys }, null, 2)}\n`
  // Wrong random bytes would make a file that nobody can open.
  parseKeyFile(text)
  return text
}

/**
 * Creates the JSON text of a new key file with one key for each purpose. Write it with mode 0600.
 *
 * @throws `KEY_FILE_INVALID` if `randomBytes` returns another number of bytes, or the same bytes again;
 *   `ARGUMENT_INVALID` without `randomBytes` and a valid `now`, or for an unknown name
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { writeFileSync } from 'node:fs'
 * import { createKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * export function writeKeyFile(path: string) {
 *   writeFileSync(path, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600, flag: 'wx' })
 * }
 * ```
 */
export function createKeyFile(source: KeySource): string {
  checkSource(source)
  const seal = createKey('seal', source)
  const fingerprint = createKey('fingerprint', source)
  const audit = createKey('audit', source)
  return keyFileText({
    activeSealKeyId: seal.id,
    activeFingerprintKeyId: fingerprint.id,
    activeAuditKeyId: audit.id,
    keys: [seal, fingerprint, audit],
  })
}

/**
 * Adds a fresh active seal key to the JSON text of a key file. Restart with the new file and re-wrap all data keys
 * (`PiiKeyRotation.rewrapDataKeys`) before you remove the old key.
 *
 * @throws `KEY_FILE_INVALID`; `ARGUMENT_INVALID` as {@link createKeyFile}
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { addSealKey, createKeyFile, parseKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * const source = { randomBytes, now: new Date() }
 * parseKeyFile(addSealKey(createKeyFile(source), source)).keys.length // 4: two seal keys, one of each other purpose
 * ```
 */
export function addSealKey(json: string, source: KeySource): string {
  checkSource(source)
  const file = parseKeyFile(json)
  const seal = createKey('seal', source)
  return keyFileText({ ...file, activeSealKeyId: seal.id, keys: [...file.keys, seal] })
}

/**
 * Adds a fresh active audit key to the JSON text of a key file. Keep the former audit keys: only they can check older
 * entries.
 *
 * @throws `KEY_FILE_INVALID`; `ARGUMENT_INVALID` as {@link createKeyFile}
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { addAuditKey, createKeyFile, parseKeyFile } from '@kyc-relay/kyc-core/node'
 *
 * const source = { randomBytes, now: new Date() }
 * parseKeyFile(addAuditKey(createKeyFile(source), source)).keys.length // 4: two audit keys, one of each other purpose
 * ```
 */
export function addAuditKey(json: string, source: KeySource): string {
  checkSource(source)
  const file = parseKeyFile(json)
  const audit = createKey('audit', source)
  return keyFileText({ ...file, activeAuditKeyId: audit.id, keys: [...file.keys, audit] })
}
