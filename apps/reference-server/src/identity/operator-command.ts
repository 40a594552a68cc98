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
  const checked = parseOperators(JSON.stringify([entry]))
  const problem = 'problem' in checked ? checked.problem : rights.length === 0 ? 'no right is given.' : null
  if (problem !== null) {
    warn(`${problem}\n\n${usage}`)
    return 64
  }
  print(JSON.stringify(entry))
  warn(`The token of this operator, shown once: ${token}`)
  return 0
}
