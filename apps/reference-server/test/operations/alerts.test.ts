import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { attemptStateOf, type AttemptCause, type DeliveryWorkerObserver } from '@kyc-relay/webhooks/internal'
import { typeDefs } from '@kyc-relay/kyc-core/graphql'
import { photoOutcome, type PhotoFailure } from '@kyc-relay/kyc-core/internal'
import { buildSchema, type GraphQLEnumType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startTestServer, type RunningTestServer } from '../running-server.js'

const folder = fileURLToPath(new URL('../../monitoring/', import.meta.url))
const rules = readFileSync(`${folder}alerts.yaml`, 'utf8')
const page = readFileSync(new URL('../../../../docs/alerts.md', import.meta.url), 'utf8')
const { groups } = parse(rules) as {
  groups: { rules: { alert: string; expr: string; labels: { severity: string }; annotations: { runbook: string } }[] }[]
}
const alerts = groups.flatMap((group) => group.rules)

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

type WorkerProblem = Parameters<NonNullable<DeliveryWorkerObserver['onProblem']>>[0]

// Records, so that the compiler asks for a code that is new.
const problems: Record<WorkerProblem, true> = {
  CLAIM_FAILED: true,
  RECORD_FAILED: true,
  SUBSCRIBE_FAILED: true,
  GRANTS_FAILED: true,
  GRANTS_MISMATCH: true,
  KEYS_FAILED: true,
  KEYS_MISMATCH: true,
  BODIES_FAILED: true,
  EVENT_TYPE_UNKNOWN: true,
  HEADERS_FAILED: true,
  ATTEMPT_FAILED: true,
}
const causes: Record<AttemptCause, true> = {
  HTTP_STATUS: true,
  REDIRECT: true,
  TIMEOUT: true,
  CONNECT_FAILED: true,
  TLS_FAILED: true,
  DNS_FAILED: true,
  ENDPOINT_NOT_ALLOWED: true,
  CONNECTION_LOST: true,
  INVALID_RESPONSE: true,
  INTERRUPTED: true,
  SIGNING_KEY_MISSING: true,
  RESOLVER_DOWN: true,
  GRANT_REVOKED: true,
  GRANTS_UNAVAILABLE: true,
  HEADERS_UNAVAILABLE: true,
  BODY_UNAVAILABLE: true,
  USER_ERASED: true,
  OUT_OF_SOCKETS: true,
  PROXY_FAILED: true,
  NO_TIME_LEFT: true,
  INTERNAL_ERROR: true,
}

describe('alert rules', () => {
  const hasPromtool = spawnSync('promtool', ['--version']).error === undefined
  if (!hasPromtool) console.warn('promtool is not installed (Debian: prometheus): nothing runs the alert rules')
  it.runIf(hasPromtool)('fire and stay quiet as their test file says', () => {
    const run = (...args: string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
    expect(run('check', 'rules', 'alerts.yaml')).toMatchObject({ status: 0, stderr: '' })
    expect(run('test', 'rules', 'alerts.test.yaml')).toMatchObject({ status: 0, stderr: '' })
  })

  it('each have a case in which they fire', () => {
    const cases = readFileSync(`${folder}alerts.test.yaml`, 'utf8')
    const fired = [...cases.matchAll(/alertname: (\w+)\n +exp_alerts:/g)].map(([, name]) => name)
    expect(fired.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
  })

  it('ask for metrics and labels that the server has', async () => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    const asked = alerts.flatMap(({ expr }) => [...expr.matchAll(/((?:kyc_relay|nodejs)_\w+)\{job="kyc-relay"/g)])
    expect(asked.length).toBeGreaterThanOrEqual(alerts.length)
    const names = asked.map(([, name = '']) => name.replace(/_bucket$/, ''))
    expect(names.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  it('that one increase fires ask for series that a new server has', async () => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    const series = [
      'kyc_relay_submissions_total{outcome="ERROR"}',
      'kyc_relay_requests_refused_total',
      ...['api', 'internal', 'secure'].map((listener) => `kyc_relay_connections_dropped_total{listener="${listener}"}`),
      'kyc_relay_log_lines_dropped_total',
      'kyc_relay_lease_takeovers_total',
    ]
    expect(series.filter((one) => !text.includes(`\n${one} 0\n`))).toEqual([])
  })

  it('explain every problem of a worker, and every cause for which nothing was sent or stored', () => {
    const explained = (alert: string) => {
      const [section = ''] = page.slice(page.indexOf(`### ${alert}`)).split(/\n##/, 1)
      return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code).toSorted()
    }
    expect(explained('KycRelayWorkerProblems')).toEqual(Object.keys(problems).toSorted())
    // A revoked grant and an erased user are no faults: the delivery is cancelled.
    const unsent = (Object.keys(causes) as AttemptCause[])
      .filter((cause) => attemptStateOf(cause) === 'UNSENT' && cause !== 'GRANT_REVOKED' && cause !== 'USER_ERASED')
      .toSorted()
    expect(explained('KycRelayAttemptsUnsent')).toEqual(unsent)
    // After a day the service goes on only if the fault was its own.
    const late = { attempt: 1, queuedForMs: 25 * 60 * 60 * 1000 }
    const failures = (buildSchema(typeDefs).getType('KycPhotoFailure') as GraphQLEnumType).getValues()
    const ownFaults = failures
      .map(({ name }) => name as PhotoFailure)
      .filter((failure) => photoOutcome({ kind: 'failed', failure }, late).state === 'RETRYING')
      .toSorted()
    expect(explained('KycRelayPhotosNotStored')).toEqual(ownFaults)
    const asked = alerts.find(({ alert }) => alert === 'KycRelayPhotosNotStored')?.expr
    expect(
      /cause=~"([^"]+)"/
        .exec(asked ?? '')?.[1]
        ?.split('|')
        .toSorted(),
    ).toEqual(ownFaults)
  })

  it('each have a section that says what to do, in the order of the file', () => {
    const sections = [...page.matchAll(/^### (KycRelay\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(alerts.map(({ alert }) => alert))
    for (const { alert, labels, annotations } of alerts) {
      expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`)
      expect(['page', 'ticket']).toContain(labels.severity)
    }
  })
})
