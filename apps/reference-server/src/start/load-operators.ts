import { readFile } from 'node:fs/promises'
import { parseOperators, type Operator } from '../identity/operators.js'
import { StartError } from './start-error.js'

/** Reads `OPERATORS_FILE`; no operators if it is not set. */
export async function loadOperators(path: string | null): Promise<readonly Operator[]> {
  if (path === null) return []
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null)
    throw new StartError(
      'OPERATORS_FILE_MISSING',
      'OPERATORS_FILE cannot be read. Set it to the path of a file that this process may read, or remove it.',
    )
  const operators = parseOperators(text)
  if ('problem' in operators) throw new StartError('OPERATORS_FILE_INVALID', `OPERATORS_FILE: ${operators.problem}`)
  return operators
}
