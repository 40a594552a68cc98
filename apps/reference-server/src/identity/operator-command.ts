import { createOperatorToken, operatorRights, parseOperators } from './operators.js'

const usage = `kyc-relay-operator: makes the token of an operator, and the entry for OPERATORS_FILE

  node dist/operator.js <name> <right>…
      rights: ${operatorRights.join(' ')}
      prints the token on standard error, once, and the entry on standard output; writes no file

Exit codes: 0 made, 64 wrong usage.`

/** Makes one operator. Returns the exit code. */
export function runOperatorCommand(
  parameters: readonly string[],
  { print, warn }: { readonly print: (line: string) => void; readonly warn: (line: string) => void },
): number {
  const [name = '', ...rights] = parameters
  if (name === '--help' || name === '-h') {
    print(usage)
    return 0
  }
  const { token, tokenHash } = createOperatorToken()
  const entry = { name, tokenHash, rights }
  const problem = problemOf(name, rights, JSON.stringify(entry))
  if (problem !== null) {
    warn(`${problem}\n\n${usage}`)
    return 64
  }
  print(JSON.stringify(entry))
  warn(`The token of this operator, shown once: ${token}`)
  return 0
}

function problemOf(name: string, rights: readonly string[], entry: string): string | null {
  if (name.trim() === '') return 'No name is given.'
  if (rights.length === 0) return 'No right is given.'
  if (!rights.every((right) => operatorRights.some((known) => known === right))) return 'A right is unknown.'
  if ('problem' in parseOperators(`[${entry}]`))
    return 'The name is not valid. It has at most 100 characters, no colon and no line break.'
  return null
}
