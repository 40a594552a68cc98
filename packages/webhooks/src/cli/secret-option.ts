import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError, type Terminal } from './command.js'

/** Options for the secret, shared by all commands. It is never an argument: a shell keeps those in its history. */
export const secretOptions = {
  'secret-env': { type: 'string' },
  'secret-file': { type: 'string' },
  'data-dir': { type: 'string' },
} as const

/** Help text of {@link secretOptions}. */
export const secretHelp = `  --secret-env NAME    read the API key from this environment variable
                       (default: KYC_RELAY_API_KEY)
  --secret-file PATH   read the API key from this file, without its last newline
  --data-dir DIR       take the API key of the local demo from DIR/demo.json`

/** The members of `demo.json` that the commands use. */
export interface DemoFile {
  readonly apiUrl?: string
  readonly caFile?: string
  readonly receiverCertFile?: string
  readonly receiverKeyFile?: string
  readonly apps?: readonly { readonly apiKey: string }[]
}

/** Reads `demo.json`, which the reference server writes on its first start. */
export async function readDemoFile(dataDir: string): Promise<DemoFile> {
  const path = join(dataDir, 'demo.json')
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DemoFile
  } catch {
    throw new UsageError(`Cannot read ${path}. Start the server with this data folder first.`)
  }
}

/** Finds the secret. The most explicit source wins. */
export async function findSecret(
  options: {
    readonly 'secret-env'?: string | undefined
    readonly 'secret-file'?: string | undefined
    readonly 'data-dir'?: string | undefined
  },
  terminal: Terminal,
): Promise<string> {
  const given = (['secret-file', 'secret-env'] as const).filter((name) => options[name] !== undefined)
  if (given.length > 1) throw new UsageError(`Give only one of ${given.map((name) => `--${name}`).join(' and ')}.`)
  // An empty value, from a variable that is not set, is a mistake and not absent: another key would sign.
  if (options['secret-file'] !== undefined) {
    const text = (await readText(options['secret-file'])).replace(/\r?\n$/, '')
    if (text.trim() !== '') return text
    throw new UsageError(`The file ${options['secret-file']} is empty.`)
  }
  if (options['secret-env'] !== undefined) {
    const named = terminal.env[options['secret-env']]
    if (named?.trim()) return named
    throw new UsageError(`The environment variable ${options['secret-env']} is not set.`)
  }
  if (options['data-dir'] !== undefined) {
    const apiKey = (await readDemoFile(options['data-dir'])).apps?.[0]?.apiKey
    if (apiKey) return apiKey
    throw new UsageError(`${join(options['data-dir'], 'demo.json')} has no API key.`)
  }
  const fromEnv = terminal.env['KYC_RELAY_API_KEY']
  if (fromEnv?.trim()) return fromEnv
  throw new UsageError('No API key. Set KYC_RELAY_API_KEY, or give --secret-file, --secret-env or --data-dir.')
}

/** Reads a text file; the error names the file. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new UsageError(`Cannot read the file ${path}.`)
  }
}
