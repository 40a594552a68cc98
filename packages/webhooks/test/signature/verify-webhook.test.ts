import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createWebhookHandler, signWebhook, verifyWebhook, WebhookVerificationError } from '@kyc-relay/webhooks'

test('round trip', async () => {
  const body = '{"eventType":"WIDGET_KYC_INITIATION","userId":"u"}'
  const signature = createHmac('sha256', 'k').update(body).digest('hex')
  expect(await signWebhook(body, 'k')).toBe(signature)
  const headers = { 'X-HMAC-Signature': signature, 'X-Event-ID': '6a0c7f0e-0c3c-4c39-9a55-0f3a8f3a0a10' }
  expect(await verifyWebhook({ body, headers, secrets: 'k' })).toMatchObject({
    type: 'WIDGET_KYC_INITIATION',
    test: false,
  })
  await expect(verifyWebhook({ body, headers, secrets: 'x' })).rejects.toBeInstanceOf(WebhookVerificationError)
  const handler = createWebhookHandler({ secrets: 'k', onEvent: () => undefined })
  expect((await handler(new Request('https://r.example/', { method: 'POST', body, headers }))).status).toBe(200)
})
