import { KycError } from '@kyc-relay/kyc-core'
import type { KeyFile } from '@kyc-relay/kyc-core/node'
import type { KeyCheck } from '@kyc-relay/storage-drizzle/internal'
import type { Storage } from '../wiring/storage.js'
import type { Env } from '../env.js'
import type { EndpointHeaders } from '../events/endpoint-headers.js'
import type { ApiKeys } from '../identity/api-keys.js'
import { apiKeyDamaged, headersDamaged } from '../identity/find-damaged.js'
import type { Log } from '../operations/log.js'
import { StartError } from './start-error.js'
import { findForeignKey, keyChecksOf } from './key-checks.js'

/** Number of the newest and of the oldest verifications to check in the vault. */
const sampleSize = 200

const wrongKeyTexts: Readonly<Record<KeyCheck['purpose'], string>> = {
  seal: 'KEY_FILE does not hold the keys that sealed the vault (VAULT_DATABASE_URL).',
  fingerprint:
    'KEY_FILE does not hold the fingerprint key of the vault (VAULT_DATABASE_URL): replays would not be recognised.',
  audit: 'KEY_FILE lacks an audit key that sealed entries of the audit log.',
}
const wrongApiKeysText = 'KEY_FILE does not hold the keys that sealed the API keys of apps (DATABASE_URL).'
const wrongHeadersText = 'KEY_FILE does not hold the keys that sealed the static headers of endpoints (DATABASE_URL).'

const wrongKeyFile = (text: string) =>
  new StartError('KEY_FILE_WRONG', `${text} Put a removed key back, or restore the file from your backup.`)

/**
 * Refuses a start when key file, vault and business database do not belong together. Otherwise old values could not be
 * opened, and new fingerprints would not match old ones.
 *
 * @throws StartError `KEY_FILE_WRONG`, `VAULT_MISSING`, `VAULT_INCOMPLETE`
 */
export async function checkStart(parts: {
  readonly storage: Storage
  readonly apiKeys: Pick<ApiKeys, 'findDamaged'>
  readonly endpointHeaders: Pick<EndpointHeaders, 'findDamaged'>
  readonly keys: KeyFile
  readonly env: Pick<Env, 'allowIncompleteVault'>
  readonly log: Log
}): Promise<void> {
  const { storage, keys } = parts
  const { inspection } = storage.vault
  const given = keyChecksOf(keys)
  const known = await inspection.listKeyChecks()
  const foreign = findForeignKey(known, given)
  if (foreign !== null) throw wrongKeyFile(wrongKeyTexts[foreign])

  const sealKeyIds = new Set(given.flatMap(({ keyId, purpose }) => (purpose === 'seal' ? [keyId] : [])))
  const wrapping = await inspection.listWrappingKeyIds()
  if (wrapping.some((keyId) => !sealKeyIds.has(keyId))) throw wrongKeyFile(wrongKeyTexts.seal)
  // Without a fingerprint only a value tells whether a key is right. With all of them, only a damaged value could fail.
  if (wrapping.some((keyId) => !known.some((check) => check.keyId === keyId))) {
    await storage.vault.rewrapDataKeys({ limit: 1 }).catch((error: unknown) => {
      if (!(error instanceof KycError) || error.retryable) throw error
      throw wrongKeyFile(wrongKeyTexts.seal)
    })
  }
  await reportDamaged(parts, new Set(known.map(({ keyId }) => keyId).filter((keyId) => sealKeyIds.has(keyId))))

  await checkVault(parts)
  const fresh = given.filter(({ keyId }) => !known.some((each) => each.keyId === keyId))
  if (fresh.length > 0) await inspection.addKeyChecks(fresh)
}

/** Names damaged API keys and headers in the log: they concern one app, so the others are served. */
async function reportDamaged(
  { apiKeys, endpointHeaders, log }: Parameters<typeof checkStart>[0],
  verifiedKeyIds: ReadonlySet<string>,
): Promise<void> {
  for (const { appId, version } of await apiKeys.findDamaged(verifiedKeyIds).catch(refuse(wrongApiKeysText))) {
    log.warn(apiKeyDamaged, { appId, keyVersion: version })
  }
  for (const { appId, endpointId } of await endpointHeaders
    .findDamaged(verifiedKeyIds)
    .catch(refuse(wrongHeadersText))) {
    log.warn(headersDamaged, { appId, endpointId })
  }
}

const refuse = (text: string) => (error: unknown) => {
  if (error instanceof KycError && error.code === 'KEY_UNKNOWN') throw wrongKeyFile(text)
  throw error
}

/**
 * Checks the vault references of the newest and the oldest verifications. A vault older than the business database
 * lacks the newest; a new vault lacks the oldest. The cost does not depend on the number of verifications.
 */
async function checkVault({ storage, env, log }: Parameters<typeof checkStart>[0]): Promise<void> {
  const { inspection } = storage.vault
  const newest = await storage.overview.listVaultReferences({ of: 'newest', limit: sampleSize })
  const oldest = await storage.overview.listVaultReferences({ of: 'oldest', limit: sampleSize })
  if ((await inspection.countLacking([...newest, ...oldest])) === 0) return
  if (env.allowIncompleteVault) {
    log.warn('the vault lacks values of recorded verifications')
    return
  }
  if (await inspection.isEmpty()) {
    throw new StartError(
      'VAULT_MISSING',
      'The vault (VAULT_DATABASE_URL) is empty, but DATABASE_URL holds verifications with values in a vault. Correct VAULT_DATABASE_URL, or restore the vault.',
    )
  }
  throw new StartError(
    'VAULT_INCOMPLETE',
    'The vault (VAULT_DATABASE_URL) lacks data keys or tokens of verifications in DATABASE_URL. It is an older copy or another vault. Correct VAULT_DATABASE_URL, or restore a newer vault.',
  )
}
