import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Env } from '../env.js'
import { isLoopbackAddress } from '../http/loopback-address.js'
import type { LocalFiles } from './local-certificates.js'
import { StartError } from './start-error.js'
import { isWholePem } from './whole-pem.js'

/** Reads certificate and key of the secure endpoint; null if the settings say that a proxy terminates TLS. */
export async function secureTls(
  env: Env,
  localFiles: LocalFiles | null,
): Promise<{ cert: string; key: string } | null> {
  if (env.tls !== null) return readPair(env.tls.certFile, env.tls.keyFile)
  if (env.tlsTerminatedUpstream) return null
  if (localFiles !== null && isLoopbackAddress(env.host))
    return readPair(localFiles.certificateFile, localFiles.privateKeyFile)
  throw new StartError(
    'TLS_REQUIRED',
    'The secure endpoint needs TLS_CERT_FILE and TLS_KEY_FILE, or TLS_TERMINATED_UPSTREAM=1 behind a proxy that terminates TLS.',
  )
}

async function readPair(certFile: string, keyFile: string): Promise<{ cert: string; key: string }> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => null)
  const [cert, key] = [await read(certFile), await read(keyFile)]
  if (cert === null || key === null) {
    const unread = [cert === null ? ['TLS_CERT_FILE'] : [], key === null ? ['TLS_KEY_FILE'] : []].flat()
    const text = `${unread.join(' and ')} cannot be read. Name files that this process may read.`
    throw new StartError('TLS_FILES_INVALID', text)
  }
  const pair = { cert, key }
  try {
    createSecureContext(pair)
    // Node ignores an empty certificate and accepts a truncated chain as a shorter one.
    if (isWholePem(pair.cert) && isWholePem(pair.key)) return pair
  } catch {
    // Refused below.
  }
  throw new StartError(
    'TLS_FILES_INVALID',
    'TLS_CERT_FILE and TLS_KEY_FILE are not a certificate and its key in PEM: a file is empty or truncated, the key has a password, or it belongs to another certificate. Set both to the files of one certificate.',
  )
}
