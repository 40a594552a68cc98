import { createIngestion } from '@kyc-relay/kyc-core'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import type { Downloader } from '@kyc-relay/webhooks/internal'
import { uuidv7 } from 'uuidv7'
import type { Env } from '../env.js'
import { openDetails } from '../evidence/open-sealed-part.js'
import { submissionScope } from '../identity/bearer.js'
import type { Log } from '../operations/log.js'
import { tracedHandler } from '../operations/tracing/request-spans.js'
import { createPhotoFetching } from '../photos/photo-fetching.js'
import { createClearHandler } from '../submissions/clear-handler.js'
import { createGraphqlEndpoint } from '../submissions/graphql-endpoint.js'
import { observedIngestion, observedTokenizer, observedVerificationStore } from '../submissions/observed-ports.js'
import { graphqlPath, graphqlRoute } from '../submissions/route.js'
import { secureRules, secureSchema, standardSchema } from '../submissions/schema.js'
import { createSecureApp } from '../submissions/secure-app.js'
import { createTokenizedHandler } from '../submissions/tokenized-handler.js'
import type { Callers } from './callers.js'
import type { Operations } from './operations.js'
import { sealVerificationPages, type CursorSeal } from '../storage/sealed-cursors.js'
import type { Storage } from './storage.js'

/**
 * Creates the submission flow: secure app → handler → `ingestSubmission` → vault and verification store → photo worker.
 */
export function wireSubmissions(deps: {
  readonly env: Env
  readonly log: Log
  readonly storage: Storage
  readonly operations: Operations
  readonly callers: Callers
  readonly photos: PhotoStore
  readonly download: Downloader
  readonly isPhotoUrlAllowed: (url: string) => boolean
  readonly cursors: CursorSeal
  readonly now: () => Date
}) {
  const { env, log, now } = deps
  const { vault, verifications, photoJobs } = deps.storage
  const { disk, metrics, failures, probes } = deps.operations
  const { accessTokens, limits } = deps.callers

  const photoWorker = createPhotoFetching({
    jobs: photoJobs,
    photos: deps.photos,
    vault,
    download: deps.download,
    metrics: metrics.photos,
    log,
    disk,
  })
  const ingestion = observedIngestion(
    createIngestion({
      verifications: observedVerificationStore(verifications, () => photoWorker.wake()),
      tokenizer: observedTokenizer(vault),
      inspector: vault,
      now,
      newId: uuidv7,
      isPhotoUrlAllowed: deps.isPhotoUrlAllowed,
      policy: {
        allowLoopbackPhotos: env.allowLoopbackReceivers,
        ...env.submissionPolicy,
        providers: env.kycProviders,
      },
    }),
    { requireSpace: disk.requireSpace, count: metrics.submission },
  )

  const route = (
    listener: 'secure' | 'api',
    requiredScope: string | null,
    endpoint: Parameters<typeof createGraphqlEndpoint>[0],
  ) => {
    const find = (token: string) =>
      accessTokens.find(token).catch((error: unknown) => {
        // A database that is away fails here first. The standard API has other requests, too.
        if (listener === 'secure') metrics.submissionFailed()
        throw error
      })
    const edge = { accessTokens: { find }, limits, failures, requiredScope, listener, log }
    return tracedHandler(listener, graphqlPath, graphqlRoute({ endpoint: createGraphqlEndpoint(endpoint), ...edge }))
  }
  const secureGraphql = route('secure', submissionScope, {
    schema: secureSchema,
    handler: createClearHandler(ingestion, log),
    validationRules: secureRules,
  })
  return {
    photoWorker,
    secureApp: createSecureApp({ graphql: secureGraphql, probes, log }),
    /** Creates GraphQL of the standard API: reading, and submissions tokenized by an external proxy. */
    standardGraphql: route('api', null, {
      schema: standardSchema({
        ingestion,
        verifications: sealVerificationPages(verifications, deps.cursors),
        photoJobs,
        openDetails: (record) => openDetails(record, vault),
      }),
      handler: createTokenizedHandler(ingestion, env, log),
    }),
  }
}
