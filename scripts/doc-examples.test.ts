import { describe, expect, it } from 'vitest'

interface Found {
  readonly blocks: readonly { readonly language: string; readonly info: string; readonly body: string; line: number }[]
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

const { fencedBlocks } = (await import(new URL('./doc-examples/fenced-blocks.mjs', import.meta.url).href)) as {
  fencedBlocks: (text: string, isMarkdown: boolean) => Found
}
const { problemsOfCommands } = (await import(new URL('./doc-examples/shell-commands.mjs', import.meta.url).href)) as {
  problemsOfCommands: (body: string) => readonly string[]
}

const { problemsOfDiagram } = (await import(new URL('./doc-examples/diagrams.mjs', import.meta.url).href)) as {
  problemsOfDiagram: (text: string) => Promise<readonly string[]>
}

const bodies = ({ blocks }: Found) => blocks.map(({ language, line, body }) => [language, line, body])

describe('the blocks of a page', () => {
  it.each([
    ['a plain one', '# A\n\n```ts\nlet a = 1\n```\n', [['ts', 4, 'let a = 1']]],
    ['one without a language', '```\na\n```', [['', 2, 'a']]],
    ['one in a list', '- a\n\n  ```ts\n  if (b) {\n    c\n  }\n  ```\n', [['ts', 4, 'if (b) {\n  c\n}']]],
    ['tildes', '~~~js\na\n~~~', [['js', 2, 'a']]],
    ['a fence inside of a longer one', '````text\n```ts\na\n```\n````', [['text', 2, '```ts\na\n```']]],
    [
      'two in a row',
      '```ts\na\n```\n```json\n{}\n```',
      [
        ['ts', 2, 'a'],
        ['json', 5, '{}'],
      ],
    ],
  ])('%s', (_what, text, expected) => {
    expect(bodies(fencedBlocks(text, true))).toEqual(expected)
  })

  it('are missed by nobody when they do not end', () => {
    expect(fencedBlocks('a\n```ts\nb\n', true).problems).toEqual([{ line: 2, message: 'this block does not end' }])
  })
})

describe('the blocks of a doc comment', () => {
  const comment = (...lines: string[]) => `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\nlet a\n`

  it('are found, without the stars', () => {
    const found = fencedBlocks(comment('Says a.', '', '@example', '```ts', 'if (b) {', '  c', '}', '```'), false)
    expect(bodies(found)).toEqual([['ts', 6, 'if (b) {\n  c\n}']])
    expect(found.problems).toEqual([])
  })

  it('are asked for after an @example', () => {
    const found = fencedBlocks(comment('Says a.', '', '@example', 'const c = open()'), false)
    expect(found.problems).toEqual([{ line: 4, message: 'an @example without a block of ts is not checked' }])
  })

  it('are not looked for in the code', () => {
    expect(fencedBlocks('const page = `\n```ts\na\n```\n`\n', false).blocks).toEqual([])
  })
})

describe('commands of a shell block', () => {
  it.each([
    ['npm ci && npm start', []],
    ['ALLOW_LOOPBACK_RECEIVERS=1 npm start # starts it', []],
    ['npm run nothing', ['package.json has no script nothing']],
    ['npm run check -- lint types', []],
    ['npx kyc-webhooks listen --data-dir ./data --respond drop,200', []],
    ['npx kyc-webhooks listen \\\n  --nothing 1', ['kyc-webhooks listen has no --nothing']],
    ['npx kyc-webhooks hear', ['kyc-webhooks has no hear']],
    ['npx kyc-webhooks trigger TRANSACTION_CREATE --url=https://localhost:8443 --data-dir ./data', []],
    ['curl --nothing https://localhost', []],
  ])('%s', (body, expected) => {
    expect(problemsOfCommands(body)).toEqual(expected)
  })
})

describe('a diagram', () => {
  const chainOf = (nodes: number) => `flowchart LR\n  ${Array.from({ length: nodes }, (_, n) => `n${n}`).join(' --> ')}`

  it.each([
    ['a flowchart', 'flowchart LR\n  a([A]) -->|b| c[(C)]', []],
    ['a state diagram', 'stateDiagram-v2\n  [*] --> A: b', []],
    [
      'an arrow to nowhere',
      'flowchart LR\n  a --> b\n  b -->> c',
      ['this diagram does not parse: Parse error on line 3:'],
    ],
    ['a dozen nodes', chainOf(12), []],
    ['one node more', chainOf(13), ['this diagram has 13 nodes, at most 12']],
    ['another kind', 'pie\n  "a": 1', ['this is neither a flowchart nor a state diagram']],
  ])('%s', async (_what, text, problems) => {
    expect(await problemsOfDiagram(text)).toEqual(problems)
  })
})
