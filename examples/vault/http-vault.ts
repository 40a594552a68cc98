import {
  isToken,
  KycError,
  type KycErrorCode,
  type OwnedToken,
  type PiiEraser,
  type PiiRevealer,
  type PiiKeyRotation,
  type PiiTokenizer,
  type Token,
  type TokenInspector,
  type TokenizedValue,
} from '@kyc-relay/kyc-core'

type Json = Readonly<Record<string, unknown>>

/** Codes that the service may answer; every other failure means that it cannot be used now. */
const ANSWERED_CODES: ReadonlySet<string> = new Set<KycErrorCode>([
  'TOKEN_UNKNOWN',
  'NOT_REVEALABLE',
  'SEAL_BROKEN',
  'KEY_UNKNOWN',
])

const unavailable = (): KycError => new KycError('VAULT_UNAVAILABLE')

function text(value: unknown): string {
  if (typeof value !== 'string') throw unavailable()
  return value
}
function count(value: unknown): number {
  if (typeof value !== 'number') throw unavailable()
  return value
}
function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw unavailable()
  return value as readonly Json[]
}
function token(value: unknown): Token {
  if (!isToken(value)) throw unavailable()
  return value
}
function ownedToken(value: Json): OwnedToken {
  return { appId: text(value['appId']), userId: text(value['userId']), token: token(value['token']) }
}
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const fromBase64 = (value: unknown): Uint8Array => new Uint8Array(Buffer.from(text(value), 'base64'))

function tokenizedValue({ kind, ...rest }: Json): TokenizedValue {
  if (kind === 'record') return { kind, sealed: fromBase64(rest['sealed']) }
  if (kind === 'ssn' || kind === 'document_number') return { kind, token: token(rest['token']) }
  throw unavailable()
}

/**
 * Implements the vault ports over an external tokenization service.
 *
 * One `POST` per call: the service does each call atomically or not at all. Nothing of a request or an answer becomes part
 * of an error.
 *
 * @param options `timeoutMs`: how long one call may take, default 5000. `credential` is sent as bearer token.
 */
export function createHttpVault(options: {
  readonly url: string
  readonly credential: string
  readonly timeoutMs?: number
}): PiiTokenizer & TokenInspector & PiiRevealer & PiiEraser & PiiKeyRotation {
  const { url, credential, timeoutMs = 5000 } = options

  async function call(operation: string, request: Json): Promise<Json> {
    let status: number
    let body: Json
    try {
      const response = await fetch(`${url}/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      status = response.status
      body = (await response.json()) as Json
    } catch {
      throw unavailable()
    }
    if (status === 200) return body
    const { code } = body
    throw typeof code === 'string' && ANSWERED_CODES.has(code) ? new KycError(code as KycErrorCode) : unavailable()
  }

  return {
    async tokenize(owner, values) {
      if (values.length === 0) return []
      return list((await call('tokenize', { owner, values }))['values']).map(tokenizedValue)
    },
    async fingerprint(purpose, value) {
      return fromBase64((await call('fingerprint', { purpose, value }))['fingerprint'])
    },
    async inspect(owner, tokens) {
      const facts = list((await call('inspect', { owner, tokens }))['facts'])
      return facts.map((fact: Json | null) => {
        if (fact === null) return null
        const { field, lastFour } = fact
        if (field !== 'ssn' && field !== 'document_number') throw unavailable()
        return {
          token: token(fact['token']),
          field,
          lastFour: lastFour === null ? null : text(lastFour),
          createdAt: new Date(text(fact['createdAt'])),
        }
      })
    },
    async reveal(request) {
      return text((await call('reveal', { ...request }))['clear'])
    },
    async openRecord({ sealed, ...request }) {
      return text((await call('open-record', { ...request, sealed: toBase64(sealed) }))['clear'])
    },
    async eraseOwner(owner) {
      return count((await call('erase-owner', { owner }))['erased'])
    },
    async listOlderThan(request) {
      return list((await call('list-older-than', { ...request }))['tokens']).map(ownedToken)
    },
    async quarantine(request) {
      const { entered } = await call('quarantine', { ...request })
      return entered === null ? null : count(entered)
    },
    async listQuarantined(request) {
      return list((await call('list-quarantined', { ...request }))['tokens']).map(ownedToken)
    },
    async restore(tokens) {
      return count((await call('restore', { tokens }))['restored'])
    },
    async destroyQuarantined(request) {
      return count((await call('destroy-quarantined', { ...request }))['destroyed'])
    },
    async countTokens(request) {
      const { tokens, quarantinedInADay } = await call('count-tokens', { ...request })
      return { tokens: count(tokens), quarantinedInADay: count(quarantinedInADay) }
    },
    async rewrapDataKeys(request) {
      const { rewrapped, remaining } = await call('rewrap-data-keys', { ...request })
      return { rewrapped: count(rewrapped), remaining: count(remaining) }
    },
  }
}
