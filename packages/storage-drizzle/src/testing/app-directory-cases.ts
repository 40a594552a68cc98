import { grantCases } from './app-directory/grant-cases.js'
import { keyChangeCases } from './app-directory/key-change-cases.js'
import { keyCases } from './app-directory/key-cases.js'
import type { AppDirectoryHandle } from './app-directory/sample-apps.js'
import type { StorageCase } from './storage-case.js'

/**
 * Lists the rules of the `AppDirectory` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { appDirectoryCases } from '@kyc-relay/storage-drizzle/testing'
 *
 * type Harness = Parameters<(typeof appDirectoryCases)[number]['run']>[0]
 * export async function check(newHarness: () => Harness): Promise<void> {
 *   for (const { run } of appDirectoryCases) await run(newHarness())
 * }
 * ```
 */
export const appDirectoryCases: readonly StorageCase<AppDirectoryHandle>[] = [
  ...keyCases,
  ...keyChangeCases,
  ...grantCases,
]
