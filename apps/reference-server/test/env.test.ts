import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EnvError, parseEnv, variableNames } from '../src/env.js'

const problemsOf = (variables: Record<string, string>) => {
  try {
    parseEnv(variables)
  } catch (error) {
    if (error instanceof EnvError) return { problems: error.problems, message: error.message }
  }
  return { problems: [], message: '' }
}

describe('the environment', () => {
  it('has a default for everything outside production', () => {
    expect(parseEnv({})).toMatchObject({
      production: false,
      role: 'all',
      host: '127.0.0.1',
      port: 4000,
      internalPort: 4001,
      securePort: 4443,
      databaseUrl: 'file:./data/kyc.db',
      vaultDatabaseUrl: 'file:./data/vault.db',
      keyFile: './data/keys.json',
      deliveryRetryBaseMs: 30_000,
      allowLoopbackReceivers: false,
    })
  })

  it('reads a variable set to nothing as not set', () => {
    expect(parseEnv({ PORT: '', KYC_PROVIDERS: '' })).toMatchObject({ port: 4000, kycProviders: [] })
  })

  it('reports all problems at once, by name and never by value', () => {
    const { problems, message } = problemsOf({
      PORT: 'four-thousand-canary',
      ROLE: 'boss-canary',
      INTERNAL_TOKEN: 'canary',
      DATABASE_URL: 'mysql://canary',
      SUBMISSION_POLICY: '["canary"',
      DELIVERY_RETRY_BASE_MS: '0',
    })
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(
      ['DATABASE_URL', 'DELIVERY_RETRY_BASE_MS', 'INTERNAL_TOKEN', 'PORT', 'ROLE', 'SUBMISSION_POLICY'].sort(),
    )
    expect(message).not.toContain('canary')
  })

  it.each([
    ['INTERNAL_TOKEN', { KEY_FILE: '/k' }],
    ['KEY_FILE', { INTERNAL_TOKEN: 'x'.repeat(16) }],
    ['ALLOW_LOOPBACK_RECEIVERS', { KEY_FILE: '/k', INTERNAL_TOKEN: 'x'.repeat(16), ALLOW_LOOPBACK_RECEIVERS: '1' }],
  ])('refuses a production start for %s', (name, variables) => {
    const { problems } = problemsOf({ NODE_ENV: 'production', ...variables })
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([name])
  })

  it('refuses half a TLS pair and switched-off certificate checks', () => {
    expect(problemsOf({ TLS_CERT_FILE: '/c' }).problems).toHaveLength(1)
    expect(problemsOf({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).problems).toHaveLength(1)
  })

  it('is described in .env.example, every variable and no other, with the defaults that hold', () => {
    const lines = readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n')
    const named = lines.flatMap((line) => /^#?([A-Z_]+)=/.exec(line)?.[1] ?? [])
    expect([...named].sort()).toEqual([...variableNames].sort())
    const given = Object.fromEntries(
      lines.flatMap((line) => (/^[A-Z_]+=/.test(line) ? [line.split('=') as [string, string]] : [])),
    )
    expect(parseEnv(given)).toEqual(parseEnv({}))
  })
})
