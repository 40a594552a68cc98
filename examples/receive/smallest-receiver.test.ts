import { connect, type AddressInfo } from 'node:net'
import { signWebhook } from '@kyc-relay/webhooks'
import { expect, it, onTestFinished } from 'vitest'
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

it('outlives a client that goes away in the middle of its body, and a failure of its own', async () => {
  const server = createReceiver(apiKey, () => {
    throw new Error('the database is down')
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))

  const gone = new Promise((resolve) => server.once('request', (request) => request.once('close', resolve)))
  const client = connect(port, '127.0.0.1')
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{')
  await new Promise((resolve) => server.once('request', resolve))
  client.destroy()
  await gone

  const headers = { 'x-hmac-signature': await signWebhook(body, apiKey), 'x-event-id': crypto.randomUUID() }
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  expect([status, unhandled]).toEqual([500, []])
})
