import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Env } from '../env.js'
import { isLoopbackAddress } from '../http/loopback-address.js'
import type { LocalFiles } from './local-certificates.js'
import { StartError } from './start-error.js'
import { isWholePem } from './whole-pem.js'

/** TLS of the secure endpoint, or null where a proxy before it ends TLS and the settings say so. */
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
    'The secure endpoint needs TLS_CERT_FILE and TLS_KEY_FILE, or TLS_TERMINATED_UPSTREAM=1 behind a proxy that ends TLS.',
  )
}

async function readPair(certFile: string, keyFile: string): Promise<{ cert: string; key: string }> {
  try {
    const pair = { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
    createSecureContext(pair)
    // An empty text counts as none given there, and a chain that is cut off as a shorter one.
    if (isWholePem(pair.cert) && isWholePem(pair.key)) return pair
  } catch {
    // Refused below.
  }
  throw new StartError(
    'TLS_FILES_INVALID',
    'TLS_CERT_FILE and TLS_KEY_FILE cannot be read as a certificate and its key, in PEM: one of them is empty, cut off, or of another pair.',
  )
}
