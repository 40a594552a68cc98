import { parseArgs } from 'node:util'
import { UsageError, type Command, type Terminal } from '../command.js'
import { listProfiles, removeProfile, writeProfile } from './profile-file.js'
import { parseServiceUrl } from './service.js'
import { parseVerb } from './verbs.js'

/** Command: keeps addresses and API keys for the verbs of the API. */
export const profileCommand: Command = {
  summary: 'keep the address of a service and its API key in a file',
  help: `Usage: kyc-webhooks profile add NAME --url URL < API_KEY_FILE
       kyc-webhooks profile list
       kyc-webhooks profile remove NAME

Keeps the address of a service and the API key of your app in a file that only
you can read. The key is read from standard input, never from an argument.

  --url URL   address of the service, https://…
  --json      print JSON, for scripts

Exit code: 0 done, 1 there is no such profile, 2 a mistake in the command line.

Examples:
  kyc-webhooks profile add production --url https://api.partner.com < key.txt
  kyc-webhooks endpoints list --profile production
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { url: { type: 'string' }, json: { type: 'boolean' } },
    })
    const { verb, first } = parseVerb(positionals, { add: 1, list: 0, remove: 1 })
    if (verb === 'list') {
      const profiles = await listProfiles(terminal.env)
      terminal.out(values.json === true ? JSON.stringify({ profiles }) : profiles.join('\n'))
      return 0
    }
    if (verb === 'remove') {
      if (await removeProfile(first, terminal.env)) {
        terminal.out(values.json === true ? JSON.stringify({ removed: first }) : 'Removed.')
        return 0
      }
      terminal.err(`There is no profile ${first}.`)
      return 1
    }
    const path = await writeProfile(
      first,
      { url: parseServiceUrl(values.url), apiKey: await readKey(terminal) },
      terminal.env,
    )
    terminal.out(values.json === true ? JSON.stringify({ path }) : `Wrote ${path}.`)
    return 0
  },
}

async function readKey({ stdin }: Terminal): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of stdin) parts.push(part)
  const key = Buffer.concat(parts).toString('utf8').trim()
  if (!/^[\x21-\x7E]{1,500}$/.test(key)) throw new UsageError('Give the API key on standard input, and nothing else.')
  return key
}
