import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperatorToken, type OperatorRight } from '../../src/identity/operators.js'

/** Writes a file with one operator for each entry, and returns their tokens by name. */
export function writeOperatorsFile<Name extends string>(rights: Readonly<Record<Name, readonly OperatorRight[]>>) {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-operators-'))
  const path = join(folder, 'operators.json')
  const made = Object.entries<readonly OperatorRight[]>(rights).map(([name, given]) => {
    const { token, tokenHash } = createOperatorToken()
    return { token, entry: { name, tokenHash, rights: given } }
  })
  writeFileSync(path, JSON.stringify(made.map(({ entry }) => entry)))
  return {
    path,
    tokens: Object.fromEntries(made.map(({ entry, token }) => [entry.name, token])) as Record<Name, string>,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
