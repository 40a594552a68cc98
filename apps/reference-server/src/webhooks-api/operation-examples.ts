import type * as z from 'zod'
import type { OperationShape } from './operation.js'
import type { webhookOperations } from './webhook-operations.js'
import type * as schemas from './webhook-schemas.js'

const endpointId = '6f1c2f0e-9a4b-4f3d-8c2a-1b7e5d9c0a11'
const deliveryId = '019a4f2e-7c1d-7b3a-9e5f-2d8c6b4a0f22'
const eventId = '019a4f2e-7b90-7d11-8a6c-5e3f1c9b7d33'
const xEventId = '3d2b8c64-0f5e-5a1d-9b7c-8e4a6f2c1d44'
const recoveryId = '019a4f31-0a2b-7c4d-8e6f-9a1b3c5d7e55'
const url = 'https://partner.com/webhooks'

const endpoint: z.input<typeof schemas.endpoint> = {
  id: endpointId,
  endpointId,
  url,
  eventTypes: ['WIDGET_DEPOSIT_COMPLETE'],
  allEvents: false,
  description: 'Deposits',
  standardWebhooks: false,
  headerNames: ['authorization'],
  state: 'HEALTHY',
  pausedBy: null,
  failingSince: null,
  lastSuccessAt: '2026-03-02T15:04:05.412Z',
  createdAt: '2026-03-01T09:00:00.000Z',
}

const delivery: z.input<typeof schemas.delivery> = {
  id: deliveryId,
  deliveryId,
  eventId,
  xEventId,
  eventType: 'WIDGET_DEPOSIT_COMPLETE',
  test: false,
  endpointId,
  url,
  status: 'DELIVERED',
  attemptsMade: 1,
  createdAt: '2026-03-02T15:04:05.000Z',
  nextAttemptAt: null,
  endedAt: '2026-03-02T15:04:05.412Z',
  cancelReason: null,
  resendOf: null,
  httpStatus: 204,
  latencyMs: 398,
}

const body =
  '{"eventType":"WIDGET_DEPOSIT_COMPLETE","userId":"0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01",' +
  '"accountId":"7c1f6d52-8f0e-4c5e-a1f2-5f3b0a9d4e02","externalReferenceId":"customer-1042",' +
  '"appId":"b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03","amount":100.5}'

const success = { cause: 'The receiver acknowledged.', nextStep: 'Nothing to do.', registerUrl: null }

/** An example of the body and of each answer of an operation. */
type OperationExample<O extends OperationShape> = {
  readonly answers: {
    readonly [Status in keyof O['answers']]: O['answers'][Status] extends { readonly schema: infer S extends z.ZodType }
      ? z.input<S>
      : null
  }
} & (O['body'] extends z.ZodType ? { readonly body: z.input<O['body']> } : { readonly body?: never })

/** Values of the path parameters in examples. */
const pathExamples: Readonly<Record<string, string>> = { endpointId, deliveryId, recoveryId, version: '2' }

/** One example for each operation, with invented people and ids. */
export const operationExamples: {
  readonly [Id in keyof typeof webhookOperations]: OperationExample<(typeof webhookOperations)[Id]>
} = {
  listEndpoints: { answers: { 200: { items: [endpoint], nextCursor: null } } },
  registerEndpoint: {
    body: {
      url,
      eventTypes: ['WIDGET_DEPOSIT_COMPLETE'],
      description: 'Deposits',
      headers: { Authorization: 'Bearer example' },
    },
    answers: { 201: { ...endpoint, lastSuccessAt: null, warnings: [] } },
  },
  listDeliveries: { answers: { 200: { items: [delivery], nextCursor: null } } },
  getDelivery: {
    answers: {
      200: {
        ...delivery,
        body,
        curl: `curl --data-binary '${body}' ${url}`,
        attempts: [
          {
            number: 1,
            state: 'SUCCEEDED',
            startedAt: '2026-03-02T15:04:05.014Z',
            endedAt: '2026-03-02T15:04:05.412Z',
            cause: null,
            explanation: success,
            httpStatus: 204,
            address: '203.0.113.10',
            timings: { dnsMs: 3, connectMs: 24, tlsMs: 61, firstByteMs: 396, totalMs: 398 },
            responseHeaders: { 'content-length': '0' },
            responseBody: '',
            keyVersion: 1,
          },
        ],
      },
    },
  },
  resendDelivery: { answers: { 202: { deliveryId: '019a4f40-1c2d-7e3f-8a4b-5c6d7e8f9a66' } } },
  readFeed: {
    answers: {
      200: {
        items: [
          {
            eventId,
            eventType: 'WIDGET_DEPOSIT_COMPLETE',
            createdAt: '2026-03-02T15:04:05.000Z',
            body,
            deliveries: [{ endpointId, xEventId, status: 'DELIVERED' }],
          },
        ],
        nextCursor: 'MTA0Mg',
      },
    },
  },
  listKeys: {
    answers: {
      200: {
        items: [
          {
            version: 1,
            state: 'SIGNING',
            createdAt: '2026-03-01T08:00:00.000Z',
            signsFrom: '2026-03-01T08:00:00.000Z',
            retiredAt: null,
          },
        ],
      },
    },
  },
  rotateKey: {
    answers: { 201: { apiKey: 'the-new-key-is-shown-once', version: 2, signsFrom: '2026-03-03T15:00:00.000Z' } },
  },
  dryRunKeyRotation: {
    body: { endpointId },
    answers: {
      200: {
        endpointId,
        url,
        ready: true,
        results: [
          { key: 'SIGNING', version: 1, xEventId, accepted: true, httpStatus: 204, cause: null, explanation: success },
          {
            key: 'WAITING',
            version: 2,
            xEventId: 'a4c1e7b2-3d5f-5b8a-9c6d-0e2f4a6b8c77',
            accepted: true,
            httpStatus: 204,
            cause: null,
            explanation: success,
          },
        ],
      },
    },
  },
  activateKey: { answers: { 200: { activated: true } } },
  discardKey: { answers: { 204: null } },
  revokeKey: { answers: { 204: null } },
  getEndpoint: { answers: { 200: endpoint } },
  replaceEndpoint: {
    body: { url: 'https://partner.com/webhooks/v2' },
    answers: {
      201: {
        ...endpoint,
        id: 'c7d8e9f0-1a2b-4c3d-9e4f-5a6b7c8d9e88',
        endpointId: 'c7d8e9f0-1a2b-4c3d-9e4f-5a6b7c8d9e88',
        url: 'https://partner.com/webhooks/v2',
        warnings: [],
        replaces: endpointId,
      },
    },
  },
  pauseEndpoint: { answers: { 200: { ...endpoint, state: 'PAUSED', pausedBy: 'PARTNER' } } },
  resumeEndpoint: { answers: { 200: endpoint } },
  listVerifications: {
    answers: {
      200: {
        items: [
          {
            verificationId: '019a4f31-0a2b-7c4d-8e6f-9a1b3c5d7e66',
            externalVerificationId: 'attempt-4711',
            userId: '0198c0de-0000-7000-8000-00000000b001',
            decision: 'FAILED',
            status: 'DECLINED',
            declineCodes: ['document_expired'],
            photos: [{ side: 'front', state: 'STORED' }],
            recordedAt: '2026-01-02T03:04:05.678Z',
          },
        ],
        nextCursor: null,
      },
    },
  },
  recoverEndpoint: {
    body: { since: '2026-03-02T12:00:00.000Z', dryRun: true },
    answers: {
      200: { matched: 1200, skipped: { acknowledged: 1000, pending: 40, scope: 10, erased: 0 } },
      202: { recoveryId },
    },
  },
  getRecovery: {
    answers: {
      200: {
        recoveryId,
        state: 'RUNNING',
        matched: 600,
        created: 75,
        skipped: { acknowledged: 500, pending: 20, scope: 5, erased: 0 },
      },
    },
  },
  stopRecovery: { answers: { 204: null } },
  removeEndpoint: { answers: { 204: null } },
  sendTestEvent: {
    body: { eventType: 'WIDGET_DEPOSIT_COMPLETE' },
    answers: {
      200: {
        request: {
          method: 'POST',
          url,
          headers: { 'Content-Type': 'application/json', 'X-Event-ID': xEventId, 'X-Test-Event': 'true' },
          body,
        },
      },
      202: { eventId, deliveries: [{ deliveryId, endpointId }] },
    },
  },
}

/** Renders the example of an operation as a shell command. */
export function curlOf({ id, method, path }: OperationShape): string {
  const example: { readonly body?: unknown } | undefined = operationExamples[id as keyof typeof operationExamples]
  const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => pathExamples[name] ?? name)
  return [
    `curl "$KYC_RELAY_URL${address}"`,
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    '-H "Authorization: Bearer $KYC_RELAY_API_KEY"',
    ...(example?.body === undefined ? [] : [`--json '${JSON.stringify(example.body)}'`]),
  ].join(' \\\n  ')
}
