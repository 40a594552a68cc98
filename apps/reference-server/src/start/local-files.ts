import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createKeyFile, parseKeyFile, type KeyFile } from '@kyc-relay/kyc-core/node'
import type { Env } from '../env.js'
import { configuredToken } from '../identity/bearer.js'
import { operatorRights, operatorTokenHash, operatorTokenPrefix, type Operator } from '../identity/operators.js'
import { makeFolder } from './make-folder.js'
import type { Log } from '../operations/log.js'
import { StartError } from './start-error.js'
import { createFile, removeLeftoversOf } from './whole-file.js'

/** Creates the data folder, only for this user. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    // Tests a write: mode bits do not reveal a read-only mount or another owner.
    await rmdir(await mkdtemp(join(dataDir, '.writable-')))
  } catch (error) {
    // A full disk does not stop the start: data can still be read and erased.
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return
    throw new StartError(
      'DATA_DIR_UNUSABLE',
      'DATA_DIR cannot be created or written to. Set it to a folder that this process may write to, or correct its owner.',
    )
  }
}

/**
 * Reads the key file. Outside production a missing file is created with mode 0600, unless the databases hold values
 * under other keys. In production a new key could not open old data.
 *
 * A file that other users can read is refused in production; otherwise the log has a warning.
 */
export async function loadKeyFile(
  env: Pick<Env, 'keyFile' | 'production'>,
  log: Log,
  databasesNeedKeys: () => Promise<boolean>,
): Promise<KeyFile> {
  if (!(await exists(env.keyFile))) {
    if (env.production)
      throw new StartError(
        'KEY_FILE_MISSING',
        'KEY_FILE does not exist. Set it to the path of your key file. The server does not create it in production: a new key could not open existing data.',
      )
    // Another first start may have created the file meanwhile.
    if ((await databasesNeedKeys()) && !(await exists(env.keyFile)))
      throw new StartError(
        'KEY_FILE_MISSING',
        'KEY_FILE does not exist, but the databases hold values under other keys. Correct KEY_FILE, or restore the file from your backup. No new keys were created.',
      )
    await makeKeyFile(env.keyFile)
  }
  const problem = await problemOfReaders(env.keyFile)
  if (problem !== null) {
    if (env.production) throw new StartError('KEY_FILE_READABLE_BY_OTHERS', problem)
    log.warn('others can read KEY_FILE', { code: 'KEY_FILE_READABLE_BY_OTHERS' })
  }
  return readKeyFile(env.keyFile)
}

/** Tells how other users can read the file, by its mode or its owner; null if they cannot. Windows has neither. */
async function problemOfReaders(path: string): Promise<string | null> {
  if (process.platform === 'win32') return null
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) !== 0)
    return 'Other users can read KEY_FILE. Restrict it to its owner (chmod 600), and consider new keys.'
  if (uid !== 0 && uid !== process.getuid?.())
    return 'KEY_FILE belongs to another user, who can read it. Give it to root or to the user of this process (chown).'
  return null
}

async function makeKeyFile(path: string): Promise<void> {
  const now = new Date()
  try {
    await makeFolder(dirname(path))
    // Of two concurrent first starts, one creates the keys, and both read the same file.
    await createFile(path, { bytes: createKeyFile({ randomBytes, now }) })
    await removeLeftoversOf(path, now)
  } catch {
    throw new StartError(
      'KEY_FILE_INVALID',
      'KEY_FILE cannot be created: its folder cannot be created or written to. Set it to a path in a folder that this process may write to.',
    )
  }
}

/** Reads an existing key file. */
export async function readKeyFile(path: string): Promise<KeyFile> {
  if (!(await exists(path))) {
    throw new StartError('KEY_FILE_MISSING', 'KEY_FILE does not exist. Set it to the path of your key file.')
  }
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) {
    throw new StartError(
      'KEY_FILE_INVALID',
      'KEY_FILE cannot be read. Set it to the path of a file that this process may read, or correct the owner of the file.',
    )
  }
  try {
    return parseKeyFile(text)
  } catch {
    throw new StartError(
      'KEY_FILE_INVALID',
      'KEY_FILE is not a valid key file: it is empty, truncated or another file. It was not changed. Restore your backup: only the original keys open existing data.',
    )
  }
}

const tokenPrefix = 'kyc_int_'
const createdToken = /^kyc_int_[\w-]{43}$/

/** Accepts a whole token of this server, or one that somebody else wrote and `INTERNAL_TOKEN` could have. */
const isUsableToken = (token: string) =>
  token.startsWith(tokenPrefix) ? createdToken.test(token) : configuredToken.test(token)

/** Reads or creates the token of the internal API if it is not configured: a file in the data folder, mode 0600. */
export async function ensureInternalToken(dataDir: string): Promise<string> {
  const token = await ensureTokenFile(dataDir, 'internal-token', tokenPrefix)
  if (isUsableToken(token)) return token
  throw new StartError(
    'INTERNAL_TOKEN_INVALID',
    'The file internal-token in DATA_DIR is empty, truncated or unreadable, or holds characters that no token has. Remove it, and the next start creates a new token. Or set INTERNAL_TOKEN.',
  )
}

/** Reads or creates the token of the operator of a local server, who has every right and is called `local`. */
export async function ensureLocalOperator(
  dataDir: string,
): Promise<{ readonly token: string; readonly operator: Operator }> {
  const token = await ensureTokenFile(dataDir, 'operator-token', operatorTokenPrefix)
  if (/^kyc_op_[\w-]{43}$/.test(token))
    return { token, operator: { name: 'local', tokenHash: operatorTokenHash(token), rights: operatorRights } }
  throw new StartError(
    'OPERATOR_TOKEN_INVALID',
    'The file operator-token in DATA_DIR is empty, truncated or unreadable. Remove it, and the next start creates a new token. Or set OPERATORS_FILE.',
  )
}

async function ensureTokenFile(dataDir: string, name: string, prefix: string): Promise<string> {
  const path = join(dataDir, name)
  if (!(await exists(path))) {
    await createFile(path, { bytes: `${prefix}${randomBytes(32).toString('base64url')}` })
    await removeLeftoversOf(path, new Date())
  }
  return (await readFile(path, 'utf8').catch(() => '')).trim()
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
