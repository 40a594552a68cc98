import { parseArgs } from 'node:util'
import { UsageError, type Command } from '../command.js'
import { findService, followService, foreignAnswer, serviceHelp, serviceOptions } from './service.js'
import { parseEventTypes, parseId, parseTime } from './verbs.js'

interface Skipped {
  readonly acknowledged: number
  readonly pending: number
  readonly scope: number
  readonly erased: number
}

interface Recovery {
  readonly state: 'RUNNING' | 'DONE' | 'STOPPED'
  readonly matched: number
  readonly created: number
  readonly skipped: Skipped
}

/** Members of a recovery that are read. */
const members = ['state', 'matched', 'created', 'skipped'] as const

/** Command: delivers what an endpoint missed. */
export const recoverCommand: Command = {
  summary: 'deliver what an endpoint missed',
  help: `Usage: kyc-webhooks recover ENDPOINT_ID --since TIME [options]

Delivers every event of a time range that the endpoint has not acknowledged and
that is not pending: failed, cancelled, or published while there was none.

  --since TIME     begin, inclusive: 2026-01-31T12:00:00Z, or 90m, 6h, 2d
  --until TIME     end, exclusive (default: now)
  --event TYPE     only this type; may be given several times
  --dry-run        count, and send nothing
  --wait           wait until all deliveries are made, and print the numbers
${serviceHelp}

Exit code: 0 done, 1 the service refused, 2 a mistake in the command line.

Examples:
  kyc-webhooks recover ID --since 3h --dry-run --profile production
  kyc-webhooks recover ID --since 2026-01-31T09:00:00Z --wait
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...serviceOptions,
        since: { type: 'string' },
        until: { type: 'string' },
        event: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
        wait: { type: 'boolean' },
      },
    })
    if (positionals.length !== 1) throw new UsageError('Give the id of one endpoint.')
    const endpoint = parseId(positionals[0] ?? '', 'an endpoint')
    const since = parseTime('--since', values.since, terminal.now())
    if (since === undefined) throw new UsageError('Give the begin of the range: --since TIME.')
    const until = parseTime('--until', values.until, terminal.now())
    const eventTypes = parseEventTypes(values.event)
    const dryRun = values['dry-run'] === true
    const json = values.json === true
    const service = await findService(values, terminal)
    const range = {
      since,
      ...(until === undefined ? {} : { until }),
      ...(eventTypes === undefined ? {} : { eventTypes }),
    }
    const path = `/${endpoint}/recover`
    if (dryRun) {
      const counted = await service.call<Pick<Recovery, 'matched' | 'skipped'>>('POST', path, ['matched', 'skipped'], {
        ...range,
        dryRun,
      })
      terminal.out(json ? JSON.stringify(counted) : textOf(counted, sumOf(counted), 'would be sent'))
      return 0
    }
    const { recoveryId } = await service.call<{ recoveryId: string }>('POST', path, ['recoveryId'], range)
    if (values.wait !== true) {
      terminal.out(json ? JSON.stringify({ recoveryId }) : `Recovery ${recoveryId} has begun.`)
      return 0
    }
    let found = null as Recovery | null
    await followService(async () => {
      found = await service.call<Recovery>('GET', `/${endpoint}/recoveries/${recoveryId}`, members)
      return found.state === 'RUNNING' ? false : null
    }, terminal)
    if (found === null) return 1
    terminal.out(json ? JSON.stringify(found) : `${found.state}: ${textOf(found, found.created, 'are sent')}`)
    return found.state === 'DONE' ? 0 : 1
  },
}

const sumOf = ({ matched, skipped }: Pick<Recovery, 'matched' | 'skipped'>) =>
  matched - Object.values(skipped).reduce((sum: number, count: number) => sum + count, 0)

function textOf({ matched, skipped }: Pick<Recovery, 'matched' | 'skipped'>, sent: number, how: string): string {
  const { acknowledged, pending, scope, erased } = skipped
  if (![matched, sent, acknowledged, pending, scope, erased].every(Number.isInteger)) throw foreignAnswer(200)
  const left = `${acknowledged} acknowledged, ${pending} pending, ${scope} without scope, ${erased} erased`
  return `${sent} of ${matched} events ${how}. Left out: ${left}.`
}
