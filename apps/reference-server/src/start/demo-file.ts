import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { createEmbeddedAccessTokens } from '../identity/access-tokens.js'
import type { ApiKeys } from '../identity/api-keys.js'
import { replaceFile } from './whole-file.js'

/**
 * Content of `<DATA_DIR>/demo.json`: addresses and credentials for calling the local server. It holds secrets of the
 * demo, mode 0600.
 */
export interface DemoFile {
  readonly apiUrl: string
  readonly internalUrl: string
  readonly secureUrl: string
  readonly caFile: string
  readonly receiverCertFile: string
  readonly receiverKeyFile: string
  readonly internalToken: string
  /** Token of the operator `local`; null with `OPERATORS_FILE`. */
  readonly operatorToken: string | null
  readonly apps: readonly { readonly appId: string; readonly name: string; readonly apiKey: string }[]
  readonly users: readonly {
    readonly userId: string
    readonly accountId: string
    readonly externalReferenceId: string
    readonly appId: string
    readonly accessToken: string
    readonly scopes: readonly string[]
  }[]
}

/** All scopes of the contract (docs/contract.md 8.1). */
const allScopes = ['VERIFY_KYC', 'MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES'] as const

const yearMs = 365 * 24 * 60 * 60 * 1000
const usersOfFirstApp = 8

/** Reads the demo of an earlier start; null if it is missing or incomplete. */
export async function readDemoFile(dataDir: string): Promise<DemoFile | null> {
  try {
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile | null
    return Array.isArray(demo?.apps) && Array.isArray(demo.users) ? demo : null
  } catch {
    return null
  }
}

export async function writeDemoFile(dataDir: string, demo: DemoFile): Promise<void> {
  await replaceFile(join(dataDir, 'demo.json'), { bytes: `${JSON.stringify(demo, null, 2)}\n` })
}

/** Creates two apps and their users: eight with every scope, one without `VERIFY_KYC`, one on the second app. */
export async function seedDemo(deps: {
  readonly apiKeys: ApiKeys
  readonly accessTokens: ReturnType<typeof createEmbeddedAccessTokens>
}): Promise<Pick<DemoFile, 'apps' | 'users'>> {
  const first = await seedApp('Demo Wallet')
  const second = await seedApp('Second Demo App')
  const users: DemoFile['users'][number][] = []
  for (let number = 1; number <= usersOfFirstApp; number += 1)
    users.push(await seedUser(first.appId, `demo-user-${number}`, allScopes))
  users.push(
    await seedUser(
      first.appId,
      'demo-user-without-verify-kyc',
      allScopes.filter((scope) => scope !== 'VERIFY_KYC'),
    ),
  )
  users.push(await seedUser(second.appId, 'second-app-user-1', allScopes))
  return { apps: [first, second], users }

  async function seedApp(name: string) {
    const appId = randomUUID()
    return { appId, name, apiKey: (await deps.apiKeys.createApp({ appId, name })).apiKey }
  }

  async function seedUser(appId: string, externalReferenceId: string, scopes: readonly string[]) {
    const user = { userId: randomUUID(), accountId: randomUUID(), externalReferenceId, appId }
    const { accessToken } = await deps.accessTokens.issue({ appId, userId: user.userId, scopes }, user, yearMs)
    return { ...user, accessToken, scopes }
  }
}
