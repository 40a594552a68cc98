import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createKeyFile, parseKeyFile, type KeyFile } from '@kyc-relay/kyc-core/node'
import type { Env } from '../env.js'
import { makeFolder } from './make-folder.js'
import type { Log } from '../operations/log.js'
import { StartError } from './start-error.js'
import { createFile, removeLeftoversOf } from './whole-file.js'

/** Makes the data folder, for this user alone. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    // Tried out: what the mode bits say is not what a read-only mount or another owner's folder does.
    await rmdir(await mkdtemp(join(dataDir, '.writable-')))
  } catch (error) {
    // A full disk is no reason not to start: what is there can be read, and erased.
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return
    throw new StartError('DATA_DIR_UNUSABLE', 'DATA_DIR cannot be made or written to.')
  }
}

/**
 * Reads the key file. Outside production a missing one is made, mode 0600; in production that would lose data.
 *
 * A file that others than its owner can read is refused in production, elsewhere the log warns.
 */
export async function loadKeyFile(env: Pick<Env, 'keyFile' | 'production'>, log: Log): Promise<KeyFile> {
  if (!(await exists(env.keyFile))) {
    if (env.production)
      throw new StartError(
        'KEY_FILE_MISSING',
        'KEY_FILE does not exist. It is never made in production: a new key could not open what the old one sealed.',
      )
    await makeKeyFile(env.keyFile)
  }
  if (await isReadableByOthers(env.keyFile)) {
    const code = 'KEY_FILE_READABLE_BY_OTHERS'
    if (env.production)
      throw new StartError(
        code,
        'KEY_FILE can be read by other users: allow its owner alone (chmod 600), and think of new keys.',
      )
    log.warn('others can read KEY_FILE: chmod 600', { code })
  }
  return readKeyFile(env.keyFile)
}

/** By its mode, or since another user than this one and root owns it. Windows has neither. */
async function isReadableByOthers(path: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode, uid } = await stat(path)
  return (mode & 0o077) !== 0 || (uid !== 0 && uid !== process.getuid?.())
}

async function makeKeyFile(path: string): Promise<void> {
  const now = new Date()
  try {
    await makeFolder(dirname(path))
    // Of two first starts at once one makes the keys, and both read the same.
    await createFile(path, { bytes: createKeyFile({ randomBytes, now }) })
    await removeLeftoversOf(path, now)
  } catch {
    throw new StartError('KEY_FILE_INVALID', 'KEY_FILE cannot be made: its folder cannot be made or written to.')
  }
}

/** Reads a key file that is there. */
export async function readKeyFile(path: string): Promise<KeyFile> {
  try {
    return parseKeyFile(await readFile(path, 'utf8'))
  } catch {
    throw new StartError(
      'KEY_FILE_INVALID',
      'KEY_FILE cannot be read as a key file: it is empty, cut off or something else. Put back your copy of it: nothing else opens what it sealed. It was not changed.',
    )
  }
}

const tokenPrefix = 'kyc_int_'
/** One that was made here is whole; one that was put here is as long as `INTERNAL_TOKEN` must be. */
const wholeToken = /^(?:kyc_int_[\w-]{43}|(?!kyc_int_)[\x21-\x7e]{16,})$/

/** A token for the internal API that was not configured: kept beside the data, mode 0600. */
export async function ensureInternalToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'internal-token')
  if (!(await exists(path))) {
    await createFile(path, { bytes: `${tokenPrefix}${randomBytes(32).toString('base64url')}` })
    await removeLeftoversOf(path, new Date())
  }
  const token = (await readFile(path, 'utf8')).trim()
  if (wholeToken.test(token)) return token
  throw new StartError(
    'INTERNAL_TOKEN_INVALID',
    'The file internal-token in DATA_DIR is empty or cut off. Remove it, and the next start makes a new token; or set INTERNAL_TOKEN.',
  )
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
