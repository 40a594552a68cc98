// What a shell block says of this repository's own commands: whether they exist, and their options with them.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../published-packages.mjs'

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const cliFolder = path.join(root, 'packages/webhooks/src/cli')
const cliSource = (name) => readFileSync(path.join(cliFolder, name), 'utf8')
/** Options of all commands in a folder, by the folder. */
const sharedOptions = { '.': optionsIn(cliSource('secret-option.ts')), api: optionsIn(cliSource('api/service.ts')) }
const subcommands = new Map(
  readdirSync(cliFolder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && /export const \w+Command: Command/.test(cliSource(name)))
    .map((name) => [
      path.basename(name, '.ts'),
      new Set([...optionsIn(cliSource(name)), ...sharedOptions[path.dirname(name)]]),
    ]),
)

/** @returns what is wrong with the commands of a block. */
export function problemsOfCommands(body) {
  return body
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(?:^|\s)#.*$/, '').split(/&&|\||;/))
    .flatMap(problemsOf)
}

function problemsOf(command) {
  const words = command.trim().split(/\s+/)
  while (/^[A-Z_]+=/.test(words[0] ?? '')) words.shift()
  const [program, name, ...more] = words
  if (program === 'npm') {
    const script = name === 'run' ? more.find((word) => !word.startsWith('-')) : name
    const own = name === 'run' || name === 'start' || name === 'test'
    return own && !(script in scripts) ? [`package.json has no script ${script}`] : []
  }
  if (program === 'npx' && name === 'kyc-webhooks') return problemsOfCli(more)
  return []
}

function problemsOfCli([subcommand, ...words]) {
  const options = subcommands.get(subcommand)
  if (options === undefined) return [`kyc-webhooks has no ${subcommand}`]
  return words
    .filter((word) => word.startsWith('--') && word !== '--help' && !options.has(word.split('=')[0]))
    .map((word) => `kyc-webhooks ${subcommand} has no ${word}`)
}

function optionsIn(source) {
  return [...source.matchAll(/^\s+'?([a-z][a-z-]*)'?: \{ type: '(?:string|boolean)'/gm)].map(([, name]) => `--${name}`)
}
