import { KycError } from '@kyc-relay/kyc-core'
import {
  parseToken,
  tokenWithoutDigits,
  type ClearValue,
  type RevealRequest,
  type SealContext,
  type TokenFacts,
} from '@kyc-relay/kyc-core/internal'
import type {
  AppUser,
  PiiCipher,
  OwnedToken,
  PiiEraser,
  PiiRevealer,
  PiiKeyRotation,
  PiiTokenizer,
  Token,
  TokenInspector,
  TokenizedValue,
} from '@kyc-relay/kyc-core'
import type { BodySealer } from '@kyc-relay/webhooks/delivery'
import type { AuditLog } from '@kyc-relay/kyc-core/audit'
import { checkedLimit } from '../pages.js'
import { createVaultBodySealer } from './body-sealer.js'
import { keyContext, recordContext, sealValue, tokenContext } from './sealing.js'
import { vaultErrorOf } from './vault-errors.js'
import type { VaultInspection } from './vault-inspection.js'
import type { DataKeyRow, TokenRow, VaultRows } from './vault-rows.js'

/**
 * All ports of one vault. Pass each part of a system only the port that it needs: ingestion gets the
 * `PiiTokenizer`.
 */
export interface StoredVault extends PiiTokenizer, TokenInspector, PiiRevealer, PiiEraser, PiiKeyRotation {
  /** The audit log, for verification and checkpoints; null without the option `audit`. */
  readonly audit: AuditLog | null
  /**
   * Seals event bodies and transaction fields under the data keys of their users. It keeps up to 20,000 wrapped data keys
   * for at most 60 s, and drops that of a user whom this vault erases.
   */
  readonly bodySealer: BodySealer
  /** Checks at the start that vault, business data and keys belong together. */
  readonly inspection: VaultInspection
  /**
   * Tests whether the database accepts writes, for a readiness check. Writes one dedicated row and resolves after the
   * commit. Call it at most once a second.
   *
   * @throws KycError `VAULT_UNAVAILABLE`, whose `cause` is the reason why the database refuses writes
   */
  tryWrite(): Promise<void>
  /** Runs queued writes and closes connections that the vault opened. */
  close(): Promise<void>
}

/** Most runs of a tokenization whose owner concurrently gets a first data key or is erased. */
const mostStarts = 5

/** Creates the vault over the rows of an engine. All cryptography runs first, then one atomic write. */
export function createVault(
  rows: VaultRows,
  options: {
    readonly cipher: PiiCipher
    readonly randomBytes: (size: number) => Uint8Array
    /** Only orders new tokens; the engine's clock sets their time of creation. */
    readonly now: () => Date
    /** For the age of kept data keys. */
    readonly monotonicMs: () => number
  },
): StoredVault {
  const { cipher, randomBytes, now, monotonicMs } = options
  const bodySealer = createVaultBodySealer({ rows, cipher, monotonicMs })

  /** Returns null when the owner's data key was destroyed or replaced since it was read. */
  async function tokenizeOnce(owner: AppUser, values: readonly ClearValue[]): Promise<TokenizedValue[] | null> {
    const known = await rows.findDataKey(owner)
    const dataKey = known?.dataKey ?? (await cipher.createDataKey(keyContext(owner)))
    const by = { owner, cipher, dataKey, randomBytes, madeAt: now() }
    const sealed = await Promise.all(values.map((one) => sealValue(one, by)))
    const fresh = sealed.flatMap(({ row }) => (row === null ? [] : [row]))
    // Rows are written only with their data key: without the key they could never be opened.
    const isWritten =
      known === null
        ? await rows.insertDataKeyAndTokens(owner, dataKey, fresh)
        : await rows.insertTokens(owner, known.position, fresh)
    if (isWritten) return sealed.map(({ answer }) => answer)
    cipher.evictDataKey(dataKey)
    return null
  }

  async function tokenize(owner: AppUser, values: readonly ClearValue[]): Promise<readonly TokenizedValue[]> {
    if (values.length === 0) return []
    for (let start = 0; start < mostStarts; start++) {
      const tokenized = await tokenizeOnce(owner, values)
      if (tokenized !== null) return tokenized
    }
    throw new KycError('VAULT_UNAVAILABLE')
  }

  async function open(owner: AppUser, key: DataKeyRow, context: SealContext, sealed: Uint8Array): Promise<string> {
    const clear = await cipher.open({ dataKey: key.dataKey, keyContext: keyContext(owner), context, sealed })
    return new TextDecoder().decode(clear)
  }

  async function reveal(request: RevealRequest & { readonly token: Token }): Promise<string> {
    const { owner, token } = request
    const row = await rows.findToken(owner, token)
    if (row === null) throw new KycError('TOKEN_UNKNOWN')
    if (row.sealed === null) throw new KycError('NOT_REVEALABLE')
    const key = await rows.findDataKey(owner)
    if (key === null) throw new KycError('TOKEN_UNKNOWN')
    // The row stays after an erasure, so it has no digits of the SSN.
    await rows.insertAudit(request, { token: tokenWithoutDigits(row.token) })
    return open(owner, key, tokenContext(owner, row.field, row.token), row.sealed)
  }

  async function openRecord(request: Parameters<PiiRevealer['openRecord']>[0]): Promise<string> {
    const { owner, recordId, part, sealed } = request
    const key = await rows.findDataKey(owner)
    if (key === null) throw new KycError('SEAL_BROKEN')
    await rows.insertAudit(request, { recordId, part })
    return open(owner, key, recordContext(owner, recordId, part), sealed)
  }

  async function eraseOwner(owner: AppUser): Promise<number> {
    const { tokens, dataKeys } = await rows.deleteOwner(owner)
    bodySealer.forget(owner)
    for (const dataKey of dataKeys) cipher.evictDataKey(dataKey)
    return tokens
  }

  async function rewrapDataKeys({ limit }: { readonly limit: number }) {
    const keyId = await cipher.currentKeyId()
    let rewrapped = 0
    const damaged: KycError[] = []
    for (const former of await rows.listDataKeysNotUnder(keyId, checkedLimit(limit, 1_000))) {
      // A damaged key must not hold up those after it.
      const fresh = await cipher.rewrapDataKey(former.dataKey, keyContext(former)).catch((error: unknown) => {
        if (!(error instanceof KycError) || error.code !== 'SEAL_BROKEN') throw error
        damaged.push(error)
        return null
      })
      if (fresh !== null && (await rows.replaceDataKey(former, fresh))) rewrapped++
    }
    if (rewrapped === 0 && damaged[0] !== undefined) throw damaged[0]
    return { rewrapped, remaining: await rows.countDataKeysNotUnder(keyId) }
  }

  return {
    audit: rows.audit,
    inspection: { ...rows.inspection, listShared: (page) => guarded(() => rows.inspection.listShared(page)) },
    bodySealer: {
      seal: (values) => guarded(() => bodySealer.seal(values)),
      open: (values) => guarded(() => bodySealer.open(values)),
    },
    tokenize: (owner, values) => guarded(() => tokenize(owner, values)),
    fingerprint: (purpose, text) => guarded(() => cipher.fingerprint(purpose, text)),
    inspect: (owner, asked) =>
      guarded(async () => {
        const wellFormed = asked.map((token) => (parseToken(token) === null ? '' : token))
        return (await rows.findTokens(owner, wellFormed)).map(factsOf)
      }),
    reveal: (request) => guarded(() => reveal(request)),
    openRecord: (request) => guarded(() => openRecord(request)),
    eraseOwner: (owner) => guarded(() => eraseOwner(owner)),
    listOlderThan: (request) => guarded(() => rows.listOlderThan(paged(request))),
    quarantine: (request) => guarded(async () => rows.quarantine({ ...request, tokens: bounded(request.tokens) })),
    listQuarantined: (request) => guarded(() => rows.listQuarantined(paged(request))),
    restore: (tokens) => guarded(async () => rows.restore(bounded(tokens))),
    destroyQuarantined: (request) =>
      guarded(async () => rows.destroyQuarantined({ ...request, tokens: bounded(request.tokens) })),
    countTokens: ({ limit }) => guarded(() => rows.countTokens({ limit: checkedLimit(limit, mostCounted) })),
    rewrapDataKeys: (request) => guarded(() => rewrapDataKeys(request)),
    tryWrite: () => guarded(() => rows.tryWrite()),
    close: () => guarded(() => rows.close()),
  }
}

/** Most tokens of a page, or of a call that changes tokens. */
const mostTokens = 10_000
const mostCounted = 1_000_000

function paged<Page extends { readonly limit: number }>(page: Page): Page {
  checkedLimit(page.limit, mostTokens)
  return page
}

/** Each token once. */
function bounded(tokens: readonly OwnedToken[]): readonly OwnedToken[] {
  if (tokens.length > mostTokens) throw new KycError('ARGUMENT_INVALID')
  return [...new Map(tokens.map((owned) => [JSON.stringify(owned), owned])).values()]
}

function factsOf(row: TokenRow | null): TokenFacts | null {
  if (row === null || row.inQuarantine) return null
  const { token, field, createdAt } = row
  return { token, field, lastFour: parseToken(token)?.lastFour ?? null, createdAt }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw vaultErrorOf(error)
  }
}
