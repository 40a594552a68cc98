import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { KycError } from '@kyc-relay/kyc-core'
import { addSealKey, createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import {
  createMemoryVault,
  createMemoryVaultData,
  piiVaultCases,
  type PiiVaultHarness,
} from '@kyc-relay/kyc-core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpVault } from './http-vault.js'
import { serveVault } from './vault-service.js'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Starts a new service with its own clock and keys, and an adapter for it. */
function createHarness(): PiiVaultHarness {
  const data = createMemoryVaultData()
  const source = { randomBytes, now: new Date('2026-01-05T10:00:00Z') }
  let keyFile = createKeyFile(source)
  let nowMs = source.now.getTime()
  let auditFails = false
  const push = data.audit.push.bind(data.audit)
  data.audit.push = (...entries) => {
    if (auditFails) throw new KycError('VAULT_UNAVAILABLE')
    return push(...entries)
  }
  const serviceVault = () =>
    createMemoryVault({
      cipher: createLocalCipher({ keys: parseKeyFile(keyFile) }),
      data,
      randomBytes,
      now: () => new Date(nowMs),
    })
  return {
    async open() {
      const { server, url } = await serveVault(serviceVault, 'secret')
      servers.push(server)
      return { vault: createHttpVault({ url, credential: 'secret' }), close: async () => {} }
    },
    async advance(ms) {
      nowMs += ms
    },
    storage: {
      readSealed: async (token) => data.rows.find((row) => row.token === token)?.sealed ?? null,
      async writeSealed(token, sealed) {
        for (const row of data.rows) if (row.token === token) row.sealed = sealed
      },
      async readEverything() {
        const stored = [...data.rows.flatMap((row) => [row.fingerprint, row.sealed ?? new Uint8Array()])]
        return new Uint8Array(
          Buffer.concat([...stored, Buffer.from(JSON.stringify(data.rows.map((row) => row.token)))]),
        )
      },
      listAudit: async () => data.audit,
      async failAudit(fails) {
        auditFails = fails
      },
    },
    rotation: {
      async addKey() {
        keyFile = addSealKey(keyFile, source)
      },
      async dropFormerKeys() {
        const file = JSON.parse(keyFile) as { activeSealKeyId: string; keys: { id: string; purpose: string }[] }
        const keys = file.keys.filter((key) => key.purpose !== 'seal' || key.id === file.activeSealKeyId)
        keyFile = JSON.stringify({ ...file, keys })
      },
    },
  }
}

describe('a vault over HTTP', () => {
  for (const each of piiVaultCases) it(`${each.id} ${each.name}`, () => each.run(createHarness()))
})

describe('a service that does not answer as it should', () => {
  async function vaultAnswering(status: number, body: string, type = 'application/json') {
    const server = createServer((_request, response) => {
      response
        .writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:1/', connection: 'close' })
        .end(body)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    return createHttpVault({ url: `http://127.0.0.1:${port}`, credential: 'secret' })
  }
  const owner = { appId: 'a', userId: 'u' }
  const ssn = { kind: 'ssn', value: '078051120' } as const

  it.each([
    [500, '{"code":"INTERNAL"}'],
    [401, '{"code":"UNAUTHENTICATED"}'],
    [302, '{}'],
    [200, 'not JSON'],
    [200, '{}'],
    [200, '{"values":[{"kind":"ssn","token":"078051120"}]}'],
    [200, '{"values":[{"kind":"name","token":"x"}]}'],
    [200, '{"values":[{"kind":"record"}]}'],
  ])('%i %s is an outage, without a word of it', async (status, body) => {
    const vault = await vaultAnswering(status, body)
    await expect(vault.tokenize(owner, [ssn])).rejects.toMatchObject({ code: 'VAULT_UNAVAILABLE', retryable: true })
  })

  it('is an outage when nobody listens', async () => {
    const vault = createHttpVault({ url: 'http://127.0.0.1:1', credential: 'secret', timeoutMs: 2000 })
    const error: unknown = await vault.tokenize(owner, [ssn]).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'VAULT_UNAVAILABLE' })
    expect(String(error)).not.toContain('127.0.0.1')
  })
})
