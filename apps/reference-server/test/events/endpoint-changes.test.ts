import { createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
import { describe, expect, it } from 'vitest'
import { createEndpointChangeReporter, reportPauses } from '../../src/events/endpoint-changes.js'

const endpoint = {
  endpointId: '0197a000-0000-7000-8000-000000000001',
  appId: '0197a000-0000-7000-8000-00000000000a',
  url: 'https://partner.example.com/hook',
  eventTypes: null,
  standardWebhooks: false,
  createdAt: new Date('2026-01-01T00:00:00Z'),
}

async function setUp() {
  const reported: unknown[] = []
  const store = reportPauses(createMemoryWebhookStore(), (change) => reported.push(change.state))
  await store.registerEndpoint(endpoint, 1)
  const { appId, endpointId } = endpoint
  const pause = (by: 'PARTNER' | 'OPERATOR') => store.pauseEndpoint({ appId, endpointId, by })
  const resume = (by: 'PARTNER' | 'OPERATOR') => store.resumeEndpoint({ appId, endpointId, by })
  return { reported, store, pause, resume }
}

describe('a pause', () => {
  it('is reported once, and so is its end', async () => {
    const { reported, pause, resume } = await setUp()
    await pause('PARTNER')
    await pause('PARTNER')
    await pause('OPERATOR')
    expect(reported).toEqual(['PAUSED'])
    await resume('OPERATOR')
    await resume('OPERATOR')
    expect(reported).toEqual(['PAUSED', 'HEALTHY'])
  })

  it('of the operator that a partner may not lift reports nothing', async () => {
    const { reported, pause, resume } = await setUp()
    await pause('OPERATOR')
    expect(await resume('PARTNER')).toBe('paused_by_operator')
    expect(reported).toEqual(['PAUSED'])
  })

  it('of an endpoint that does not exist reports nothing', async () => {
    const { reported, store } = await setUp()
    const unknown = { appId: endpoint.appId, endpointId: '0197a000-0000-7000-8000-0000000000ff' }
    expect(await store.pauseEndpoint({ ...unknown, by: 'PARTNER' })).toBe('not_found')
    expect(reported).toEqual([])
  })

  it('that ends while the endpoint fails reports that it fails', async () => {
    const { reported, store, pause, resume } = await setUp()
    const failing = { endpointId: endpoint.endpointId, failingSince: new Date(0), lastSuccessAt: null }
    store.listEndpointHealth = () => Promise.resolve([failing])
    const again = reportPauses(store, (change) => reported.push(`again ${change.state}`))
    await pause('PARTNER')
    await again.resumeEndpoint({ appId: endpoint.appId, endpointId: endpoint.endpointId, by: 'PARTNER' })
    expect(reported.at(-1)).toBe('again FAILING')
    await resume('PARTNER')
  })
})

describe('a change of state', () => {
  it('is counted and logged with its ids', () => {
    const lines: unknown[] = []
    const counted: string[] = []
    const info = (message: string, fields?: object) => void lines.push({ message, ...fields })
    const log = { info } as unknown as Parameters<typeof createEndpointChangeReporter>[0]['log']
    const report = createEndpointChangeReporter({ log, count: (state) => counted.push(state) })
    const { appId, endpointId } = endpoint
    report({ appId, endpointId, state: 'FAILING' })
    expect(counted).toEqual(['FAILING'])
    expect(lines).toEqual([{ message: 'endpoint changed its state', appId, endpointId, state: 'FAILING' }])
  })
})
