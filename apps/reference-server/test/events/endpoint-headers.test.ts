import { randomBytes } from 'node:crypto'
import type { EndpointHeadersStore } from '@kyc-relay/storage-drizzle/internal'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { expect, it } from 'vitest'
import { createEndpointHeaders } from '../../src/events/endpoint-headers.js'

const keyFile = createKeyFile({ randomBytes, now: new Date(0) })
const rotated = addSealKey(keyFile, { randomBytes, now: new Date(0) })
const cipherOf = (text: string) => createLocalCipher({ keys: parseKeyFile(text) })

type Row = Awaited<ReturnType<EndpointHeadersStore['pageHeaders']>>[number]

/** A store of headers in memory. */
function storeOf(rows: Map<string, Row>): EndpointHeadersStore {
  return {
    async pageHeaders({ after, limit }) {
      const sorted = [...rows.values()].sort((one, other) => (one.endpointId < other.endpointId ? -1 : 1))
      return sorted.filter(({ endpointId }) => after === undefined || endpointId > after.endpointId).slice(0, limit)
    },
    async replaceSealedHeaders({ endpointId, former, fresh }) {
      const row = rows.get(endpointId)
      if (row?.headers.dataKey !== former.dataKey) return false
      rows.set(endpointId, { ...row, headers: fresh })
      return true
    },
  }
}

async function sealedRows(count: number) {
  const rows = new Map<string, Row>()
  const { seal } = createEndpointHeaders({ store: storeOf(rows), cipher: cipherOf(keyFile) })
  for (let index = 0; index < count; index += 1) {
    const endpointId = `endpoint ${String(index).padStart(4, '0')}`
    rows.set(endpointId, { appId: 'app', endpointId, headers: await seal('app', { 'X-Tenant': `blue ${index}` }) })
  }
  return rows
}

it('opens what it sealed, for the same app only', async () => {
  const [row] = [...(await sealedRows(1)).values()]
  const { open } = createEndpointHeaders({ store: storeOf(new Map()), cipher: cipherOf(keyFile) })
  expect(row?.headers.sealed).not.toContain('blue')
  expect(await open(row!)).toEqual({ 'X-Tenant': 'blue 0' })
  await expect(open({ ...row!, appId: 'another' })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  const damaged = { ...row!.headers, dataKey: '{' }
  await expect(open({ ...row!, headers: damaged })).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
})

it('re-wraps all pages once, goes on after a stop, and then needs only the new key', async () => {
  const rows = await sealedRows(450)
  const sealed = [...rows.values()].map((row) => row.headers.sealed)
  const headers = createEndpointHeaders({ store: storeOf(rows), cipher: cipherOf(rotated) })
  let left = 300
  expect(await headers.rewrap(() => (left -= 1) >= 0)).toEqual({ rewrapped: 300, remaining: 150 })
  expect(await headers.rewrap(() => true)).toEqual({ rewrapped: 150, remaining: 0 })
  expect(await headers.rewrap(() => true)).toEqual({ rewrapped: 0, remaining: 0 })
  expect([...rows.values()].map((row) => row.headers.sealed)).toEqual(sealed)
  expect(await headers.open(rows.get('endpoint 0449')!)).toEqual({ 'X-Tenant': 'blue 449' })
  const former = createEndpointHeaders({ store: storeOf(rows), cipher: cipherOf(keyFile) })
  await expect(former.findDamaged(new Set())).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
})

it('re-wraps what is beside damaged headers, and tells of them in the end', async () => {
  const rows = await sealedRows(3)
  const [first] = [...rows.values()]
  rows.set(first!.endpointId, { ...first!, headers: { ...first!.headers, dataKey: '{' } })
  const headers = createEndpointHeaders({ store: storeOf(rows), cipher: cipherOf(rotated) })
  const told: unknown[] = []
  const rewrapping = headers.rewrap(
    () => true,
    (endpoint) => told.push(endpoint),
  )
  await expect(rewrapping).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  expect(told).toEqual([{ appId: first!.appId, endpointId: first!.endpointId }])
  expect(await headers.findDamaged(new Set())).toMatchObject([{ endpointId: first!.endpointId }])
  rows.delete(first!.endpointId)
  expect(await headers.rewrap(() => true)).toEqual({ rewrapped: 0, remaining: 0 })
})

it('tells whether the key file has the keys of all', async () => {
  const rows = await sealedRows(3)
  const another = cipherOf(createKeyFile({ randomBytes, now: new Date(0) }))
  const damagedFor = (cipher: typeof another) =>
    createEndpointHeaders({ store: storeOf(rows), cipher }).findDamaged(new Set())
  expect([await damagedFor(cipherOf(keyFile)), await damagedFor(cipherOf(rotated))]).toEqual([[], []])
  await expect(damagedFor(another)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
})
