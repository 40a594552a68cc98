// AWS Lambda behind API Gateway (REST, "v1", and HTTP, "v2"), a function URL or a load balancer.
import { receiveWebhook, type DeduplicationStore } from '@kyc-relay/webhooks'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
  readonly deduplicate: DeduplicationStore
}

/** The parts of the event that the receiver needs. All four sources have them. */
export interface HttpEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

/** Memory ends with the instance, so the store must be a database. */
export function createHandler({ apiKey, onDeposit, deduplicate }: Options) {
  return async (event: HttpEvent) => {
    const answer = await receiveWebhook(
      {
        // Do not parse event.body: the signature covers the bytes.
        body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
        headers: event.headers ?? event.multiValueHeaders ?? {},
      },
      {
        secrets: apiKey,
        deduplicate,
        framework: 'aws-lambda',
        onEvent: async ({ type, event: payload, test }) => {
          if (test) return
          if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(payload.externalReferenceId, payload.amount)
        },
        onRefused: ({ error }) => console.warn(`Webhook refused: ${error.code}. ${error.hint}`),
        onError: (error) => console.error(error),
      },
    )
    return { statusCode: answer.status, headers: answer.headers, body: answer.body }
  }
}
