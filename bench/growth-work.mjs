// What growth is measured with in the stores: submissions, events and deliveries, 64 at a time.
import assert from 'node:assert/strict'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createIngestion, createToken } from '@kyc-relay/kyc-core'
import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { appId, apps, endpointId, endpoints } from './growth-history.mjs'
import { variablesOf } from './small-submission.mjs'

export const concurrency = 64

// Ids that begin with the time, as UUIDs of version 7 do.
let last = 0
const newId = () => {
  last = Math.max(last + 1, Date.now() * 4_096)
  const hex = Math.floor(last).toString(16).padStart(15, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-${randomUUID().slice(19)}`
}

/** Asks for `count` things, `concurrency` at a time. */
async function ask(count, work) {
  for (let done = 0; done < count; done += concurrency) {
    await Promise.all(Array.from({ length: Math.min(concurrency, count - done) }, () => work()))
  }
}

/** Returns milliseconds per operation, after `leadIn` operations that are not timed. */
async function perOperation({ leadIn, operations }, work) {
  await ask(leadIn, work)
  const started = performance.now()
  await ask(operations, work)
  return (performance.now() - started) / operations
}

const made = () => ({ madeAt: new Date(), randomBytes })
export const randomUser = () => ({ appId: appId(Math.floor(Math.random() * apps)), userId: randomUUID() })

/** Creates the small submission with a new id and another SSN, so that fingerprints spread as those of people do. */
export function newInput() {
  const { person, ...rest } = variablesOf(randomUUID())
  const ssn = `${randomInt(100, 600)}-${randomInt(10, 100)}-${randomInt(1_000, 10_000)}`
  return { ...rest, person: { ...person, ssn, ssnLast4: ssn.slice(-4) } }
}

function submission() {
  const verificationId = newId()
  const result = { status: 'VERIFIED', verificationId, message: 'The user is verified.' }
  const verification = {
    verificationId,
    schemaVersion: '1.0',
    externalVerificationProvider: 'CUSTOM',
    decision: 'PASSED',
    decisionedAt: new Date(),
    countryCode: 'US',
    ssn: { token: createToken({ field: 'ssn', lastFour: '1120', ...made() }), state: 'VALIDATED' },
    documentNumber: { token: createToken({ field: 'document_number', ...made() }) },
    sections: [{ section: 'ssn', verificationId: 'x', status: 'PASSED' }],
    checks: [{ section: 'ssn', name: 'ssn_match', status: 'PASSED' }],
    declineCodes: [],
    sealedDetails: randomBytes(400),
    photoJobs: [],
  }
  return {
    key: { ...randomUser(), externalVerificationId: randomUUID() },
    verification,
    payloadDigest: randomBytes(32),
    recordedAt: new Date(),
    outcomes: {
      UNVERIFIED: { next: 'PASS', result },
      PASS: { next: 'PASS', result },
      PASS_INTERNATIONAL: { next: 'PASS_INTERNATIONAL', result },
    },
  }
}

function event() {
  const n = 1 + Math.floor(Math.random() * endpoints)
  return {
    eventId: newId(),
    appId: appId(n % apps),
    userId: randomUUID(),
    type: 'WIDGET_DEPOSIT_COMPLETE',
    occurredAt: new Date(),
    body: randomBytes(250),
    test: false,
    sourceEventId: randomUUID(),
    withheld: null,
    deliveries: [{ deliveryId: newId(), endpointId: endpointId(n), xEventId: randomUUID() }],
  }
}

const report = {
  ...reportOfCause('HTTP_STATUS', 1),
  cause: null,
  status: 200,
  address: '192.0.2.1',
  timings: { dnsMs: 1, connectMs: 1, tlsMs: 1, firstByteMs: 1, totalMs: 2 },
  responseHeaders: { 'content-type': 'text/plain' },
  responseBody: Buffer.from('ok'),
}

/** One round at one size: milliseconds per submission, per event, and per delivery claimed and recorded. */
export async function measureStores({ storage: { verifications, webhooks }, vault }, load) {
  const ingestion = createIngestion({ verifications, tokenizer: vault, now: () => new Date(), newId })
  const ingest = await perOperation(load, async () => {
    assert.equal((await ingestion.ingestSubmission(randomUser(), newInput())).kind, 'recorded')
  })
  const record = await perOperation(load, async () => {
    assert.equal((await verifications.record(submission())).kind, 'recorded')
  })
  const publish = await perOperation(load, () => webhooks.insertEvent(event()))
  const deliver = async (count) => {
    let delivered = 0
    while (delivered < count) {
      const { claimed } = await webhooks.claimDue({
        limit: Math.min(concurrency, count - delivered),
        leaseMs: 45_000,
        maxInFlight: { healthy: 4, failing: 1 },
        keepForHealthy: 8,
      })
      await webhooks.recordAttemptResults(
        claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
      )
      delivered += claimed.length
    }
  }
  await deliver(load.leadIn)
  const started = performance.now()
  await deliver(load.operations)
  return { ingest, record, publish, deliver: (performance.now() - started) / load.operations }
}
