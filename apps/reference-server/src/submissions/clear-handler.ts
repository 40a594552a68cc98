import type { Ingested, Ingestion, Warning } from '@kyc-relay/kyc-core'
import type { SubmissionAnswer, SubmissionHandler } from './graphql-endpoint.js'
import { refusalOfError } from '../http/refusal-of-error.js'
import type { Log } from '../operations/log.js'

/** Creates the handler of the secure endpoint, which tokenizes and records clear submissions. */
export function createClearHandler(ingestion: Ingestion, log: Log): SubmissionHandler {
  return {
    async answer(field, input, caller) {
      if (field === 'validateKycVerification') {
        try {
          return { value: await ingestion.validateSubmission(caller, input) }
        } catch (error) {
          return { refusal: refusalOfError(error, log, { requestId: caller.requestId }, 'dry run failed') }
        }
      }
      return answerIngested(() => ingestion.ingestSubmission(caller, input), caller, log)
    },
  }
}

/** Runs one ingestion and converts its result. An unavailable store or vault is an outage, not a refusal. */
export async function answerIngested(
  ingest: () => Promise<Ingested>,
  { requestId, userId }: { readonly requestId: string; readonly userId: string },
  log: Log,
): Promise<SubmissionAnswer> {
  let ingested: Ingested
  try {
    ingested = await ingest()
  } catch (error) {
    return { refusal: refusalOfError(error, log, { requestId, userId }, 'submission failed') }
  }
  switch (ingested.kind) {
    case 'recorded':
      log.info('submission recorded', {
        requestId,
        verificationId: ingested.result.verificationId,
        outcome: ingested.result.status,
      })
      return { value: ingested.result, ...warningsExtension(ingested.warnings) }
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

function warningsExtension(warnings: readonly Warning[]): { extensions?: Readonly<Record<string, unknown>> } {
  return warnings.length === 0 ? {} : { extensions: { warnings } }
}
