import { SpanKind } from '@opentelemetry/api'
import type { Ingested, Ingestion, PiiTokenizer, VerificationStore } from '@kyc-relay/kyc-core'
import { inSpan, type SpanFields } from '../operations/tracing/span.js'

const internal = { kind: SpanKind.INTERNAL }

/** Wraps the ingestion. Each submission checks disk space, is counted with outcome and duration, and has a span. */
export function observedIngestion(
  ingestion: Ingestion,
  deps: {
    /** @throws DiskSpaceError while too little disk space is left. */
    readonly requireSpace: () => void
    readonly count: (ingest: () => Promise<Ingested>) => Promise<Ingested>
  },
): Ingestion {
  const observed = async (ingest: () => Promise<Ingested>) => {
    deps.requireSpace()
    return deps.count(() => inSpan('ingest submission', internal, ingest, fieldsOf))
  }
  return {
    ...ingestion,
    ingestSubmission: (appUser, input) => observed(() => ingestion.ingestSubmission(appUser, input)),
    ingestTokenizedSubmission: (appUser, input) => observed(() => ingestion.ingestTokenizedSubmission(appUser, input)),
  }
}

/** Wraps the store. Each write has a span, and wakes the photo worker if the submission has photos. */
export function observedVerificationStore(store: VerificationStore, wakePhotoWorker: () => void): VerificationStore {
  return {
    ...store,
    async record(submission) {
      const recorded = await inSpan(
        'record verification',
        internal,
        () => store.record(submission),
        ({ kind }) => ({ outcome: kind }),
      )
      if (submission.verification.photoJobs.length > 0) wakePhotoWorker()
      return recorded
    },
  }
}

/** Wraps the tokenizer. Each tokenization has a span. */
export function observedTokenizer(tokenizer: PiiTokenizer): PiiTokenizer {
  return {
    ...tokenizer,
    tokenize: (owner, values) =>
      inSpan(
        'tokenize',
        internal,
        () => tokenizer.tokenize(owner, values),
        () => ({}),
      ),
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
