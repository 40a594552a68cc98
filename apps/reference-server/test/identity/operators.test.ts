import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runOperatorCommand } from '../../src/identity/operator-command.js'
import { createOperatorLookup, parseOperators } from '../../src/identity/operators.js'
import { loadOperators } from '../../src/start/load-operators.js'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const ada = { name: 'Ada Example', tokenHash: hash('token of Ada'), rights: ['read', 'evidence'] }
const bob = { name: 'bob@example.com', tokenHash: hash('token of Bob').toUpperCase(), rights: [] }

describe('the file of operators', () => {
  it('names operators by the hash of their token, in either letter case', () => {
    const operators = parseOperators(JSON.stringify([ada, bob]))
    if ('problem' in operators) throw new Error(operators.problem)
    const find = createOperatorLookup(operators)
    expect(find('token of Ada')?.name).toBe('Ada Example')
    expect(find('token of Bob')?.name).toBe('bob@example.com')
    expect([find('token of Eve'), find(ada.tokenHash), find('')]).toEqual([null, null, null])
  })

  it.each([
    ['no JSON', '[{canary', 'it is not JSON.'],
    ['no array', '{"canary":1}', 'it is not a JSON array of operators.'],
    ['an operator that is a text', '["canary"]', 'operator 1 is malformed'],
    [
      'a right that does not exist',
      JSON.stringify([ada, { ...bob, rights: ['canary'] }]),
      'operator 2 is malformed at rights',
    ],
    ['no rights', JSON.stringify([{ ...ada, rights: undefined }]), 'operator 1 is malformed at rights'],
    [
      'a token instead of its hash',
      JSON.stringify([{ ...ada, tokenHash: 'canary' }]),
      'operator 1 is malformed at tokenHash',
    ],
    ['no name', JSON.stringify([{ ...ada, name: '  ' }]), 'operator 1 is malformed at name'],
    ['a name with a colon', JSON.stringify([{ ...ada, name: 'operator:canary' }]), 'operator 1 is malformed at name'],
    ['a name with a line break', JSON.stringify([{ ...ada, name: 'Ada\ncanary' }]), 'operator 1 is malformed at name'],
    ['an unknown member', JSON.stringify([{ ...ada, canary: true }]), 'operator 1 is malformed'],
    ['a name twice', JSON.stringify([ada, { ...bob, name: ada.name }]), 'two operators have the same name.'],
    [
      'a hash twice',
      JSON.stringify([ada, { ...bob, tokenHash: ada.tokenHash.toUpperCase() }]),
      'two operators have the same tokenHash.',
    ],
  ])('%s is refused, and no value is shown', (_name, text, problem) => {
    const parsed = parseOperators(text)
    expect(parsed).toEqual({ problem: expect.stringContaining(problem) })
    expect(JSON.stringify(parsed)).not.toContain('canary')
  })

  it('stops the start if it is missing or malformed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-operators-'))
    try {
      const path = join(folder, 'operators.json')
      await expect(loadOperators(path)).rejects.toMatchObject({ code: 'OPERATORS_FILE_MISSING' })
      writeFileSync(path, '[{')
      await expect(loadOperators(path)).rejects.toMatchObject({ code: 'OPERATORS_FILE_INVALID' })
      expect(await loadOperators(null)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the command that makes an operator', () => {
  const run = (...parameters: string[]) => {
    const [out, err]: [string[], string[]] = [[], []]
    const code = runOperatorCommand(parameters, { print: (line) => out.push(line), warn: (line) => err.push(line) })
    return { code, out, err }
  }

  it('prints an entry for the file, and the token beside it', () => {
    const { code, out, err } = run('Ada Example', 'read', 'evidence')
    expect(code).toBe(0)
    const operators = parseOperators(`[${out.join('')}]`)
    if ('problem' in operators) throw new Error(operators.problem)
    const token = /kyc_op_[\w-]{43}$/.exec(err.join(''))?.[0] ?? ''
    expect(createOperatorLookup(operators)(token)).toMatchObject({ name: 'Ada Example', rights: ['read', 'evidence'] })
    expect(out.join('')).not.toContain(token)
  })

  it.each([
    [[], 'No name is given.'],
    [[' ', 'read'], 'No name is given.'],
    [['Ada'], 'No right is given.'],
    [['Ada', 'read', 'everything'], 'A right is unknown.'],
    [['a:b', 'read'], 'The name is not valid.'],
  ])('%j is wrong usage, and says why', (parameters, why) => {
    const { code, out, err } = run(...parameters)
    expect([code, out, err]).toEqual([64, [], [expect.stringMatching(`^${why}`)]])
    expect(err.join('')).not.toMatch(/everything|a:b/)
  })
})
