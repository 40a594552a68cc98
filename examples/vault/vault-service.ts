import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import { KycError } from '@kyc-relay/kyc-core'
import type { PiiVault } from '@kyc-relay/kyc-core/testing'

/*
 * A small tokenization service, which `createHttpVault` calls in the test. It keeps values in memory and accepts every caller
 * with its credential.
 */

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

type Operations = Readonly<Record<string, (request: never) => Promise<unknown>>>

function operationsOf(vault: PiiVault): Operations {
  type First<M extends keyof PiiVault> = Parameters<PiiVault[M]>[0]
  type Second<M extends 'tokenize' | 'fingerprint' | 'inspect'> = Parameters<PiiVault[M]>[1]
  return {
    async tokenize({ owner, values }: { owner: First<'tokenize'>; values: Second<'tokenize'> }) {
      const answers = await vault.tokenize(owner, values)
      return {
        values: answers.map((each) => (each.kind === 'record' ? { ...each, sealed: base64(each.sealed) } : each)),
      }
    },
    async fingerprint({ purpose, value }: { purpose: First<'fingerprint'>; value: string }) {
      return { fingerprint: base64(await vault.fingerprint(purpose, value)) }
    },
    async inspect({ owner, tokens }: { owner: First<'inspect'>; tokens: Second<'inspect'> }) {
      return { facts: await vault.inspect(owner, tokens) }
    },
    async reveal(request: First<'reveal'>) {
      return { clear: await vault.reveal(request) }
    },
    async 'open-record'({ sealed, ...request }: Omit<First<'openRecord'>, 'sealed'> & { sealed: string }) {
      return { clear: await vault.openRecord({ ...request, sealed: bytes(sealed) }) }
    },
    async 'erase-owner'({ owner }: { owner: First<'eraseOwner'> }) {
      return { erased: await vault.eraseOwner(owner) }
    },
    async 'list-older-than'(request: First<'listOlderThan'>) {
      return { tokens: await vault.listOlderThan(request) }
    },
    async quarantine(request: First<'quarantine'>) {
      return { entered: await vault.quarantine(request) }
    },
    async 'list-quarantined'(request: First<'listQuarantined'>) {
      return { tokens: await vault.listQuarantined(request) }
    },
    async restore({ tokens }: { tokens: First<'restore'> }) {
      return { restored: await vault.restore(tokens) }
    },
    async 'destroy-quarantined'(request: First<'destroyQuarantined'>) {
      return { destroyed: await vault.destroyQuarantined(request) }
    },
    'count-tokens': (request: First<'countTokens'>) => vault.countTokens(request),
    'rewrap-data-keys': (request: First<'rewrapDataKeys'>) => vault.rewrapDataKeys(request),
  }
}

/** Serves a vault on an ephemeral port of the loopback address. */
export async function serveVault(vault: () => PiiVault, credential: string): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    async function answer(): Promise<readonly [status: number, body: unknown]> {
      if (request.headers.authorization !== `Bearer ${credential}`) return [401, { code: 'UNAUTHENTICATED' }]
      const operation = operationsOf(vault())[String(request.url).slice(1)]
      if (!operation) return [404, { code: 'NOT_FOUND' }]
      return [200, await operation((await json(request)) as never)]
    }
    void answer()
      .catch((error: unknown) => [409, { code: error instanceof KycError ? error.code : 'INTERNAL' }] as const)
      .then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        response.end(JSON.stringify(body))
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}` }
}
