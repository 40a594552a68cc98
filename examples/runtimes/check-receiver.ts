// What must hold on every runtime: bundled together with the package and run there by runtimes.test.ts.
import {
  createWebhookHandler,
  explainMismatch,
  signStandardWebhook,
  signWebhook,
  verifyStandardWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '@kyc-relay/webhooks'
import { vectors } from '@kyc-relay/webhooks/vectors.json'

/** @returns what went wrong; nothing where all is well. */
export async function checkReceiver(): Promise<string[]> {
  const failures: string[] = []
  const expectEqual = (what: string, actual: unknown, expected: unknown) => {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) failures.push(`${what}: ${JSON.stringify(actual)}`)
  }

  for (const { id, bodyBase64, headers, secrets, code, type, test } of vectors) {
    const body = Uint8Array.from(atob(bodyBase64), (character) => character.charCodeAt(0))
    const outcome = await verifyWebhook({ body, headers, secrets }).then(
      (webhook) => [null, webhook.type, webhook.test],
      (error: unknown) => [error instanceof WebhookVerificationError ? error.code : String(error), null, false],
    )
    expectEqual(id, outcome, [code, type, test])
  }

  const secret = 'the API key'
  const body = '{"eventType":"WIDGET_KYC_INITIATION","note":"Zoë 🙂"}'
  const headers = { 'x-hmac-signature': await signWebhook(body, secret), 'x-event-id': 'an-id' }
  expectEqual(
    'signWebhook',
    headers['x-hmac-signature'],
    '29a5108e55bd55a48dc1c40f347aa948150a6598a98bba5e4e0c77e1169ec0ad',
  )

  const handler = createWebhookHandler({ secrets: secret, onEvent: () => undefined })
  const post = (sent: string) =>
    handler(new Request('https://receiver.example/', { method: 'POST', body: sent, headers }))
  expectEqual('the handler takes', (await post(body)).status, 200)
  expectEqual('the handler refuses', (await post(`${body} `)).status, 401)

  const diagnosis = await explainMismatch({ body: `${body}\n`, headers, secrets: secret })
  expectEqual('explainMismatch', [diagnosis?.cause, diagnosis?.confidence], ['BODY_NEWLINE_ADDED', 'proved'])

  const now = new Date('2026-03-02T15:04:05Z')
  const signed = { ...(await signStandardWebhook({ id: 'an-id', signedAt: now, body, secret })) }
  const { eventId } = await verifyStandardWebhook({ body, headers: signed, secrets: secret, now })
  expectEqual('verifyStandardWebhook', eventId, 'an-id')
  return failures
}
