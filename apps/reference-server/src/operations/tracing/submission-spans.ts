import { SpanKind } from '@opentelemetry/api'
import type { Ingested, Ingestion, PiiTokenizer, VerificationStore } from '@kyc-relay/kyc-core'
import { inSpan, type SpanFields } from './span.js'

const internal = { kind: SpanKind.INTERNAL }

/** The same ingestion, with a span for each submission. */
export function traceIngestion(ingestion: Ingestion): Ingestion {
  return {
    ...ingestion,
    ingestSubmission: (appUser, input) =>
      inSpan('ingest submission', internal, () => ingestion.ingestSubmission(appUser, input), fieldsOf),
    ingestTokenizedSubmission: (appUser, input) =>
      inSpan('ingest submission', internal, () => ingestion.ingestTokenizedSubmission(appUser, input), fieldsOf),
  }
}

/** The ports of an ingestion, with a span for the tokenization and one for the write. */
export function traceSubmissionPorts<V extends VerificationStore, T extends PiiTokenizer>(
  verifications: V,
  tokenizer: T,
) {
  return {
    verifications: {
      ...verifications,
      record: (submission) =>
        inSpan(
          'record verification',
          internal,
          () => verifications.record(submission),
          ({ kind }) => ({ outcome: kind }),
        ),
    } satisfies VerificationStore,
    tokenizer: {
      ...tokenizer,
      tokenize: (owner, values) =>
        inSpan(
          'tokenize',
          internal,
          () => tokenizer.tokenize(owner, values),
          () => ({}),
        ),
    } satisfies PiiTokenizer,
  }
}

function fieldsOf(ingested: Ingested): SpanFields {
  switch (ingested.kind) {
    case 'recorded':
      return { outcome: ingested.result.status, verificationId: ingested.result.verificationId }
    case 'replayed':
      return { outcome: 'REPLAYED', verificationId: ingested.result.verificationId }
    case 'refused':
      return { outcome: ingested.code, violations: ingested.violations.length }
  }
}
