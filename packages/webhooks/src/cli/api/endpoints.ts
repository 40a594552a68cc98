import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { UsageError, type Command, type Terminal } from '../command.js'
import { formatTable } from '../table.js'
import { findService, serviceHelp, serviceOptions } from './service.js'
import { parseEventTypes, parseId, parseVerb } from './verbs.js'

interface Endpoint {
  readonly id: string
  readonly url: string
  readonly state: string
  readonly eventTypes: readonly string[]
  readonly allEvents: boolean
  readonly description: string | null
  readonly warnings?: readonly { readonly code: string }[]
}

/** Command: manages the endpoints of an app. */
export const endpointsCommand: Command = {
  summary: 'list, add, replace, pause, resume and remove endpoints',
  help: `Usage: kyc-webhooks endpoints list
       kyc-webhooks endpoints add URL [options]
       kyc-webhooks endpoints replace ID [--to URL] [options]
       kyc-webhooks endpoints pause ID
       kyc-webhooks endpoints resume ID
       kyc-webhooks endpoints remove ID

  --event TYPE         subscribe to this type; may be given several times
                       (default: all standard types)
  --description TEXT   a name for the endpoint
  --standard-webhooks  add the three Standard Webhooks headers
  --headers FILE       static headers: a JSON object of names and values, - for
                       standard input; {} removes them
  --to URL             the new address, for replace
${serviceHelp}

A replacement keeps what waits, and X-Event-ID stays the same.

Exit code: 0 done, 1 the service refused, 2 a mistake in the command line.

Examples:
  kyc-webhooks endpoints add https://partner.com/hooks --profile production
  kyc-webhooks endpoints list --data-dir ./data
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...serviceOptions,
        event: { type: 'string', multiple: true },
        description: { type: 'string' },
        'standard-webhooks': { type: 'boolean' },
        headers: { type: 'string' },
        to: { type: 'string' },
      },
    })
    const { verb, first } = parseVerb(positionals, { list: 0, add: 1, replace: 1, pause: 1, resume: 1, remove: 1 })
    const changes = {
      ...(values.event === undefined ? {} : { eventTypes: parseEventTypes(values.event) }),
      ...(values.description === undefined ? {} : { description: values.description }),
      ...(values['standard-webhooks'] === undefined ? {} : { standardWebhooks: values['standard-webhooks'] }),
      ...(values.headers === undefined ? {} : { headers: await readHeaders(values.headers, terminal) }),
    }
    if (verb !== 'add' && verb !== 'replace' && Object.keys(changes).length > 0) {
      throw new UsageError(`${verb} takes no options of an endpoint.`)
    }
    if (verb !== 'replace' && values.to !== undefined) throw new UsageError('--to is for replace.')
    const id = verb === 'list' || verb === 'add' ? '' : `/${parseId(first, 'an endpoint')}`
    const service = await findService(values, terminal)
    const json = values.json === true
    if (verb === 'list') {
      const { items } = await service.list<{ items: readonly Endpoint[] }>('', 'id')
      print(items, json, terminal)
    } else if (verb === 'remove') {
      await service.call('DELETE', id, null)
      terminal.out(json ? JSON.stringify({ removed: first }) : 'Removed.')
    } else {
      const url = verb === 'add' ? first : values.to
      const body = { ...(url === undefined ? {} : { url }), ...changes }
      const takesBody = verb === 'add' || verb === 'replace'
      const path = verb === 'add' ? '' : `${id}/${verb}`
      const endpoint = await service.call<Endpoint>(
        'POST',
        path,
        ['id', 'url', 'eventTypes'],
        takesBody ? body : undefined,
      )
      for (const { code } of endpoint.warnings ?? []) terminal.err(`Warning: ${code}`)
      print([endpoint], json, terminal)
    }
    return 0
  },
}

/** Reads static headers from a file: an argument would show their values to other users of the machine. */
async function readHeaders(path: string, { stdin }: Terminal): Promise<unknown> {
  try {
    const headers: unknown = JSON.parse(path === '-' ? await text(stdin) : await readFile(path, 'utf8'))
    if (typeof headers === 'object' && headers !== null && !Array.isArray(headers)) return headers
  } catch {
    // The text below says what is expected.
  }
  throw new UsageError('--headers takes a file with a JSON object of names and values.')
}

function print(items: readonly Endpoint[], json: boolean, { out }: Terminal): void {
  if (json) out(JSON.stringify({ items }))
  else if (items.length === 0) out('No endpoints.')
  else {
    const rows = items.map((one) => [
      one.id,
      one.state,
      one.url,
      one.allEvents ? 'all standard types' : one.eventTypes.join(','),
    ])
    out(formatTable(['ID', 'STATE', 'URL', 'EVENTS'], rows))
  }
}
