import { readFileSync } from 'node:fs'
import { checkIngestion, checkSender, ingestionCases, senderCases } from '@kyc-relay/conformance'
import { Agent, fetch as fetchWith } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from './running-server.js'

let server: RunningTestServer
let strict: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
  // As in production: no photo comes from this machine.
  strict = await startTestServer({ ALLOW_LOOPBACK_RECEIVERS: '0' })
})
afterAll(async () => {
  await strict.stop()
  await server.stop()
})

describe('the reference server', () => {
  it('passes every case for senders', async () => {
    const { apiUrl, apps, receiverCertFile, receiverKeyFile } = server.demo
    const [cert, key] = [receiverCertFile, receiverKeyFile].map((file) => readFileSync(file, 'utf8'))
    const outcomes = await checkSender({
      url: apiUrl,
      apiKey: apps[0]!.apiKey,
      tls: { cert: cert!, key: key! },
      now: () => new Date(),
    })
    expect(outcomes.filter(({ state }) => state !== 'passed')).toEqual([])
    expect(outcomes).toHaveLength(senderCases.length)
  })

  it.each([
    ['as a dry run', true],
    ['posted', false],
  ])('passes every case for ingestion, %s', async (_name, dryRun) => {
    const url = `${strict.demo.secureUrl}/api/v1/graphql`
    const accessToken = strict.demo.users[0]!.accessToken
    const agent = new Agent({ connect: { ca: strict.ca } })
    // `fetch` that trusts the local CA, as NODE_EXTRA_CA_CERTS makes it.
    const trusting = ((input: string, init: Record<string, unknown>) =>
      fetchWith(input, { ...init, dispatcher: agent })) as unknown as typeof fetch
    const outcomes = await checkIngestion({ url, accessToken, dryRun, fetch: trusting })
    await agent.close()
    expect(outcomes.filter(({ state }) => state !== 'passed')).toEqual([])
    expect(outcomes).toHaveLength(ingestionCases.length)
  })
})
