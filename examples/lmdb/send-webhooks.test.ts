import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWebhooks, uuidv7 } from '@kyc-relay/webhooks/delivery'
import { expect, test } from 'vitest'
import { openWebhookStore } from './webhook-store.js'

const [appId, userId, accountId] = [uuidv7(), uuidv7(), uuidv7()]
const user = { accountId, appName: 'Shop', externalReferenceId: 'customer-1042', scopes: ['MAKE_PAYOUT_SEND'] }

test('a WebhookStore is enough to send', async () => {
  const path = mkdtempSync(join(tmpdir(), 'kyc-relay-lmdb-'))
  const { store, close } = openWebhookStore({ path, now: () => new Date() })
  let resolve = (_type: string | undefined) => {}
  const sent = new Promise<string | undefined>((settle) => (resolve = settle))
  const webhooks = createWebhooks({
    // This store has no transactions of the caller, so there is nothing for publishIn.
    storage: { webhooks: store, insertEvent: () => Promise.reject(new Error('Call publish.')) },
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, ...user })) },
    signingKeys: {
      current: async (appIds) => appIds.map((id) => ({ appId: id, key: 'kyc_key_example_only', version: 1 })),
    },
    send: async ({ url, body }) => {
      resolve(`${(JSON.parse(new TextDecoder().decode(body)) as { eventType: string }).eventType} to ${url}`)
      return { status: 200 }
    },
  })
  try {
    await webhooks.registerEndpoint({ appId, url: 'https://partner.example.com/hooks' })
    await webhooks.start()
    const event = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } } as const
    expect((await webhooks.publish(event)).status).toBe('QUEUED')
    expect(await sent).toBe('WIDGET_DEPOSIT_COMPLETE to https://partner.example.com/hooks')
    await webhooks.stop()
    expect((await store.listDeliveries({ appId, limit: 10 })).items.map(({ state }) => state)).toEqual(['DELIVERED'])
  } finally {
    await close()
    rmSync(path, { recursive: true })
  }
})
