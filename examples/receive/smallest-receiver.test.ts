import type { AddressInfo } from 'node:net'
import { signWebhook } from '@kyc-relay/webhooks'
import { expect, it } from 'vitest'
import { createReceiver } from './smallest-receiver.js'

const apiKey = 'kyc_key_example_only'
const body = JSON.stringify({ eventType: 'WIDGET_KYC_INITIATION', userId: '0198c0de-0000-7000-8000-00000000b001' })

it('answers 200 to a signed event and 401 to anything else', async () => {
  const seen: string[] = []
  const server = createReceiver(apiKey, (type) => seen.push(type))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const post = async (signature: string) =>
    (
      await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-hmac-signature': signature,
          'x-event-id': crypto.randomUUID(),
        },
        body,
      })
    ).status
  expect(await post(await signWebhook(body, apiKey))).toBe(200)
  expect(await post(await signWebhook(body, 'another key'))).toBe(401)
  expect(await post('')).toBe(401)
  expect(seen).toEqual(['WIDGET_KYC_INITIATION'])
  server.close()
})
