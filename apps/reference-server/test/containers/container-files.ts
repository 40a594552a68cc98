import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the server, and the root of the repository, from which the image is built. */
export const app = fileURLToPath(new URL('../../', import.meta.url))
export const root = join(app, '../..')
export const makeSecretsScript = join(app, 'docker/make-secrets.sh')

export function read(path: string): string {
  return readFileSync(path, 'utf8')
}

/** A temporary folder of secrets that belong to this process, as they belong to the server. The caller removes it. */
export function makeSecrets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-secrets-'))
  const user = `${process.getuid?.() ?? ''}:${process.getgid?.() ?? ''}`
  execFileSync(makeSecretsScript, [folder], { env: { ...process.env, KYC_RELAY_USER: user } })
  return folder
}
