import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isOtherLoopback } from '../http/loopback-address.js'
import { StartError } from './start-error.js'
import { createFile, removeLeftoversOf, replaceFile } from './whole-file.js'
import { isWholePem } from './whole-pem.js'

/** Files that the first local start creates. */
export interface LocalFiles {
  readonly caFile: string
  readonly certificateFile: string
  readonly privateKeyFile: string
}

interface Certificates {
  readonly caPem: string
  readonly certificatePem: string
  readonly privateKeyPem: string
}

const renewAfterMs = 365 * 24 * 60 * 60 * 1000

/**
 * Returns the local CA and the loopback certificate. They are created on the first start, and again when they are a
 * year old, missing or damaged. A new CA must be trusted again.
 *
 * The file of the private key also holds the certificates. It is written atomically, and the other two files are
 * created from it. So the files match even with two concurrent starts or a crash.
 *
 * @param host `HOST`. A certificate that does not name this loopback address is made anew.
 */
export async function ensureLocalCertificates(dataDir: string, now: Date, host = 'localhost'): Promise<LocalFiles> {
  const address = isOtherLoopback(host) ? host : '127.0.0.1'
  const files: LocalFiles = {
    caFile: resolve(dataDir, 'local-ca.pem'),
    certificateFile: resolve(dataDir, 'localhost.pem'),
    privateKeyFile: resolve(dataDir, 'localhost-key.pem'),
  }
  const found = await readKept(files)
  if (found === null || !isUsable(found, now, address))
    await makeAnew(files, await readText(files.privateKeyFile), now, address)
  const kept = await readKept(files)
  if (kept === null) {
    throw new StartError(
      'TLS_FILES_INVALID',
      'The file localhost-key.pem in DATA_DIR cannot be read. Remove it, and the next start creates new certificates.',
    )
  }
  await keepEqual(files.certificateFile, kept.certificatePem)
  await keepEqual(files.caFile, kept.caPem)
  return files
}

async function makeAnew(
  { privateKeyFile }: LocalFiles,
  former: string | null,
  now: Date,
  address: string,
): Promise<void> {
  // Loaded only for the first start.
  const { createLocalCertificates } = await import('./local-ca.js')
  const { privateKeyPem, certificatePem } = await createLocalCertificates(now, address)
  const content = { bytes: `${privateKeyPem}${certificatePem}` }
  if (former === null) await createFile(privateKeyFile, content)
  else await replaceFile(privateKeyFile, content)
  await removeLeftoversOf(privateKeyFile, now)
}

async function readKept(files: LocalFiles): Promise<Certificates | null> {
  const keyText = await readText(files.privateKeyFile)
  if (keyText === null || !isWholePem(keyText)) return null
  const [leaf, ca] = pemBlocks(keyText, 'CERTIFICATE')
  const [privateKeyPem] = pemBlocks(keyText, 'PRIVATE KEY')
  if (privateKeyPem === undefined) return null
  if (leaf !== undefined && ca !== undefined) return { privateKeyPem, certificatePem: `${leaf}${ca}`, caPem: ca }
  // A file of an earlier version holds only the key.
  const [certificatePem, caPem] = [await readText(files.certificateFile), await readText(files.caFile)]
  return certificatePem === null || caPem === null ? null : { privateKeyPem, certificatePem, caPem }
}

function isUsable({ privateKeyPem, certificatePem, caPem }: Certificates, now: Date, address: string): boolean {
  try {
    const [certificate, ca] = [new X509Certificate(certificatePem), new X509Certificate(caPem)]
    const belongTogether =
      certificate.checkPrivateKey(createPrivateKey(privateKeyPem)) && certificate.verify(ca.publicKey)
    const isNamed = certificate.checkIP(address) !== undefined
    return belongTogether && isNamed && now.getTime() - Date.parse(certificate.validFrom) < renewAfterMs
  } catch {
    return false
  }
}

/** Returns complete PEM blocks of a kind, each with a line end. */
function pemBlocks(text: string, kind: string): string[] {
  return [...text.matchAll(new RegExp(`-----BEGIN ${kind}-----[A-Za-z0-9+/=\\s]+-----END ${kind}-----`, 'g'))].map(
    ([block]) => `${block}\n`,
  )
}

async function keepEqual(path: string, pem: string): Promise<void> {
  if ((await readText(path)) !== pem) await replaceFile(path, { bytes: pem, mode: 0o644 })
}

/** Reads a file; null if it is missing or unreadable. */
async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}
