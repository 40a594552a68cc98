import type { Ingested, Ingestion, Warning } from '@kyc-relay/kyc-core'
import { DiskSpaceError } from '../disk-space/disk-space.js'
import type { SubmissionAnswer, SubmissionDoor } from '../graphql/graphql-endpoint.js'
import { errorCode, type Log } from '../observability/log.js'
import { isRetryable } from '../graphql/graphql-route.js'

/** The door of the secure endpoint: clear submissions come in, are tokenized and recorded. */
export function createSecureDoor(ingestion: Ingestion, log: Log): SubmissionDoor {
  return {
    async answer(field, input, caller) {
      if (field === 'validateKycVerification') return { value: ingestion.validateSubmission(input) }
      return answerIngested(() => ingestion.ingestSubmission(caller, input), caller.requestId, log)
    },
  }
}

/** Runs one ingestion and presents what came of it; a store or vault that is down is an outage, never a refusal. */
export async function answerIngested(
  ingest: () => Promise<Ingested>,
  requestId: string,
  log: Log,
): Promise<SubmissionAnswer> {
  let ingested: Ingested
  try {
    ingested = await ingest()
  } catch (error) {
    // One line tells when it begins and ends: one for each would fill what is left.
    if (error instanceof DiskSpaceError) return { refusal: { code: 'UNAVAILABLE', detail: error.code } }
    const code = isRetryable(error) ? 'UNAVAILABLE' : 'INTERNAL'
    log.error('submission failed', { requestId, code: errorCode(error) })
    return { refusal: { code } }
  }
  switch (ingested.kind) {
    case 'recorded':
      log.info('submission recorded', {
        requestId,
        verificationId: ingested.result.verificationId,
        outcome: ingested.result.status,
      })
      return { value: ingested.result, ...beside({ warnings: ingested.warnings }) }
    case 'replayed':
      log.info('submission replayed', {
        requestId,
        verificationId: ingested.result.verificationId,
        payloadMatches: ingested.payloadMatches,
      })
      return {
        value: ingested.result,
        extensions: { idempotency: { replayed: true, payloadMatches: ingested.payloadMatches } },
      }
    case 'refused':
      log.info('submission refused', { requestId, code: ingested.code, count: ingested.violations.length })
      return { refusal: { code: ingested.code }, violations: ingested.violations }
  }
}

function beside({ warnings }: { warnings: readonly Warning[] }): { extensions?: Readonly<Record<string, unknown>> } {
  return warnings.length === 0 ? {} : { extensions: { warnings } }
}
