import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import type { DemoFile } from '../../src/start/demo-file.js'
import type { ServerProcess } from '../processes/server-process.js'
import { submissionDocument, submissionVariables } from '../running-server.js'

/** Calls over connections that are kept open. */
export function clientOf(demo: DemoFile, connections = 32) {
  const agent = new Agent({ connect: { ca: readFileSync(demo.caFile, 'utf8') }, connections })
  onTestFinished(() => agent.destroy())
  return async (url: string, token: string | null, body?: unknown) => {
    const answer = await request(url, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
}

/** The calls of these tests on one server. */
export function callsTo({ demo }: ServerProcess, connections?: number) {
  const call = clientOf(demo, connections)
  const [user] = demo.users
  return {
    call,
    register: (url: string) => call(`${demo.apiUrl}/api/v1/webhooks`, demo.apps[0]?.apiKey ?? '', { url }),
    submit: (changes: Record<string, unknown> = {}) =>
      call(`${demo.secureUrl}/api/v1/graphql`, user?.accessToken ?? '', {
        query: submissionDocument,
        variables: submissionVariables(changes),
      }),
    publish: (sourceEventId: string | null = null) =>
      call(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, {
        appId: user?.appId,
        userId: user?.userId,
        eventType: 'WIDGET_DEPOSIT_COMPLETE',
        data: { amount: 100.5 },
        sourceEventId,
      }),
    metric: async (name: string) => {
      const { text } = await call(`${demo.internalUrl}/metrics`, null)
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    },
  }
}
