import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createKeyFile, parseKeyFile, type KeyFile } from '@kyc-relay/kyc-core/node'
import type { Env } from '../env.js'
import { makeFolder } from '../make-folder.js'
import { StartError } from '../start-error.js'

/** Files that a local first start makes and later starts find. */
export interface LocalFiles {
  readonly caFile: string
  readonly certificateFile: string
  readonly privateKeyFile: string
}

/** Makes the data folder, for this user alone. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    // Tried out: what the mode bits say is not what a read-only mount or another owner's folder does.
    await rmdir(await mkdtemp(join(dataDir, '.writable-')))
  } catch {
    throw new StartError('DATA_DIR_UNUSABLE', 'DATA_DIR cannot be made or written to.')
  }
}

/** Reads the key file. Outside production a missing one is made, mode 0600; in production that would lose data. */
export async function loadKeyFile(env: Pick<Env, 'keyFile' | 'production'>): Promise<KeyFile> {
  if (!(await exists(env.keyFile))) {
    if (env.production)
      throw new StartError(
        'KEY_FILE_MISSING',
        'KEY_FILE does not exist. It is never made in production: a new key could not open what the old one sealed.',
      )
    await makeKeyFile(env.keyFile)
  }
  return readKeyFile(env.keyFile)
}

async function makeKeyFile(path: string): Promise<void> {
  const content = createKeyFile({ randomBytes, now: new Date() })
  try {
    await makeFolder(dirname(path))
    // `wx`: of two first starts at once one makes the keys and both read the same.
    await writeFile(path, content, { mode: 0o600, flag: 'wx' }).catch(ignoreExisting)
  } catch {
    throw new StartError('KEY_FILE_INVALID', 'KEY_FILE cannot be made: its folder cannot be made or written to.')
  }
}

/** Reads a key file that is there. */
export async function readKeyFile(path: string): Promise<KeyFile> {
  try {
    return parseKeyFile(await readFile(path, 'utf8'))
  } catch {
    throw new StartError('KEY_FILE_INVALID', 'KEY_FILE cannot be read as a key file.')
  }
}

/** The local CA and the loopback certificate; made on the first start, made again when the certificate has expired. */
export async function ensureLocalCertificates(dataDir: string, now: Date): Promise<LocalFiles> {
  const files: LocalFiles = {
    caFile: resolve(dataDir, 'local-ca.pem'),
    certificateFile: resolve(dataDir, 'localhost.pem'),
    privateKeyFile: resolve(dataDir, 'localhost-key.pem'),
  }
  const present =
    (await exists(files.caFile)) && (await exists(files.certificateFile)) && (await exists(files.privateKeyFile))
  if (present && !(await isOlderThan(files.certificateFile, now, renewAfterMs))) return files
  // Loaded for a first start alone.
  const { createLocalCertificates } = await import('./local-ca.js')
  const made = await createLocalCertificates(now)
  await writeFile(files.privateKeyFile, made.privateKeyPem, { mode: 0o600 })
  await writeFile(files.certificateFile, made.certificatePem)
  await writeFile(files.caFile, made.caPem)
  return files
}

/** A token for the internal API that was not configured: kept beside the data, mode 0600. */
export async function ensureInternalToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'internal-token')
  if (!(await exists(path))) {
    await writeFile(path, `kyc_int_${randomBytes(32).toString('base64url')}`, { mode: 0o600, flag: 'wx' }).catch(
      ignoreExisting,
    )
  }
  return (await readFile(path, 'utf8')).trim()
}

const renewAfterMs = 365 * 24 * 60 * 60 * 1000

async function isOlderThan(path: string, now: Date, ageMs: number): Promise<boolean> {
  return now.getTime() - (await stat(path)).mtimeMs > ageMs
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
}
