import { createHash } from 'node:crypto'
import type { TransactionMove } from '@kyc-relay/webhooks/internal'
import type { Recording, StatusOutcomes, SubmissionKey, TokenizedVerification } from '@kyc-relay/kyc-core/internal'
import type { AttemptReport, Endpoint, PreparedEvent } from '@kyc-relay/webhooks/delivery'

/** Creates a UUID that depends only on the name. */
export function uuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const startOfTests = new Date('2026-01-02T03:04:05.678Z')

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

export function submission(name: string, change: { key?: Partial<SubmissionKey>; countryCode?: string } = {}) {
  const verificationId = uuid(`verification ${name}`)
  const verified = { status: 'VERIFIED', verificationId, message: 'The user is verified.' } as const
  const kept = { status: 'ALREADY_VERIFIED', verificationId, message: 'The existing status was preserved.' } as const
  const outcomes: StatusOutcomes = {
    UNVERIFIED: { next: 'PASS', result: verified },
    PASS: { next: 'PASS', result: kept },
    PASS_INTERNATIONAL: { next: 'PASS_INTERNATIONAL', result: kept },
  }
  const verification: TokenizedVerification = {
    verificationId,
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    decision: 'PASSED',
    decisionedAt: startOfTests,
    countryCode: 'US',
    ssn: { token: `tok_ssn_${uuid(name).replaceAll('-', '').slice(0, 26)}_1120`, state: 'VALIDATED' },
    documentNumber: { token: `tok_document_number_${uuid(name).replaceAll('-', '').slice(0, 26)}` },
    sections: [
      { section: 'document', verificationId: `doc-${name}`, status: 'PASSED' },
      { section: 'ssn', verificationId: `ssn-${name}`, status: 'PASSED' },
    ],
    checks: [
      { section: 'document', name: 'document_not_expired', status: 'PASSED' },
      { section: 'document', name: 'face_match', status: 'FAILED' },
      { section: 'ssn', name: 'ssn_match', status: 'NOT_APPLICABLE' },
    ],
    declineCodes: ['face_match'],
    sealedDetails: bytes(`sealed ${name}`),
    photoJobs: [{ photoJobId: uuid(`photo ${name}`), side: 'front', sealedUrl: bytes('sealed url') }],
  }
  const key = { appId: uuid('app'), userId: uuid('user'), externalVerificationId: `ext-${name}`, ...change.key }
  return {
    key,
    verification,
    payloadDigest: new Uint8Array(createHash('sha256').update(name).digest()),
    recordedAt: startOfTests,
    outcomes,
  } satisfies Recording
}

export function endpoint(name: string, appId = uuid('app')): Endpoint {
  return {
    endpointId: uuid(`endpoint ${name}`),
    appId,
    url: `https://${name}.example.com/hooks`,
    lineageId: uuid(`endpoint ${name}`),
    description: null,
    headers: null,
    pausedBy: null,
    eventTypes: null,
    standardWebhooks: false,
    createdAt: startOfTests,
  }
}

export function event(
  name: string,
  endpoints: readonly Endpoint[],
  change: Partial<PreparedEvent> = {},
): PreparedEvent {
  return {
    eventId: uuid(`event ${name}`),
    appId: uuid('app'),
    userId: uuid('user'),
    type: 'TRANSACTION_CREATE',
    occurredAt: startOfTests,
    body: bytes(`{"name":"${name}"}`),
    test: false,
    sourceEventId: null,
    withheld: null,
    deliveries: endpoints.map(({ endpointId }) => ({
      deliveryId: uuid(`delivery ${name} ${endpointId}`),
      endpointId,
      xEventId: uuid(`x-event ${name} ${endpointId}`),
    })),
    ...change,
  }
}

export const report: AttemptReport = {
  cause: 'HTTP_STATUS',
  status: 500,
  address: '192.0.2.1',
  timings: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, totalMs: 5 },
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: bytes('out of order'),
  keyVersion: 1,
}

export const claimRequest = {
  limit: 64,
  leaseMs: 45_000,
  maxInFlight: { healthy: 4, failing: 1 },
  keepForHealthy: 8,
} as const

/** Creates the first move of a transaction, with its event to these endpoints. */
export function transactionMove(
  name: string,
  to: readonly Endpoint[],
  change: Partial<Omit<TransactionMove, 'event'>> & { sourceEventId?: string } = {},
): TransactionMove {
  const { sourceEventId = null, ...move } = change
  return {
    transactionId: uuid(`transaction ${name}`),
    appId: uuid('app'),
    userId: uuid('user'),
    fromRevision: 0,
    next: 'PENDING',
    fields: { amount: 42.5, note: name },
    movedAt: startOfTests,
    ...move,
    event: { ...event(`${name} ${move.fromRevision ?? 0}`, to), sourceEventId },
  }
}
