import { version } from '../../package.json'
import { deliveriesCommand } from './api/deliveries.js'
import { endpointsCommand } from './api/endpoints.js'
import { profileCommand } from './api/profile.js'
import { recoverCommand } from './api/recover.js'
import { ServiceError } from './api/service.js'
import { closestTo, didYouMean } from './closest.js'
import { UsageError, type Command, type Terminal } from './command.js'
import { listenCommand } from './listen.js'
import { signCommand } from './sign.js'
import { triggerCommand } from './trigger.js'
import { verifyCommand } from './verify.js'

const commands: Readonly<Record<string, Command>> = {
  listen: listenCommand,
  trigger: triggerCommand,
  sign: signCommand,
  verify: verifyCommand,
  endpoints: endpointsCommand,
  deliveries: deliveriesCommand,
  recover: recoverCommand,
  profile: profileCommand,
}

const help = `kyc-webhooks: receive, send, sign and verify webhooks on your own machine,
and manage endpoints and deliveries

Usage: kyc-webhooks <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

kyc-webhooks <command> --help shows the options of a command, with examples;
kyc-webhooks --version the version.
`

/**
 * Runs one command.
 *
 * @returns the exit code: 0 done, 1 refused or failed, 2 a mistake in the command line.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined) {
    terminal.err(help)
    return 2
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(help)
    return 0
  }
  if (name === '--version') {
    terminal.out(version)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const known = Object.keys(commands)
    terminal.err(`Unknown command.${didYouMean(name, known)} Known: ${known.join(', ')}.`)
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.help)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    // Ctrl+C during a call: what follows the service until then has done its work.
    if (terminal.stopped.aborted && error === terminal.stopped.reason) return endsWhenStopped(name, rest) ? 0 : 1
    if (error instanceof ServiceError) {
      terminal.err(rest.includes('--json') ? JSON.stringify({ error: error.message, ...error.problem }) : error.message)
      return 1
    }
    if (!isUsageError(error)) throw error
    terminal.err(usageText(error, command.help))
    return 2
  }
}

/** Whether a command ends by itself when `stopped` aborts: it has something to close or to print. */
export const endsItself = ([name = '']: readonly string[]): boolean =>
  ['listen', 'deliveries', 'recover'].includes(name)

/** Whether a command goes on until it is stopped. */
const endsWhenStopped = (name: string, rest: readonly string[]) =>
  name === 'listen' || (name === 'deliveries' && rest.includes('tail'))

/** The text of a usage error: one line, and for an unknown option the one that was probably meant. */
function usageText({ message }: Error, help: string): string {
  const unknown = /^Unknown option '-?-([^']*)'/.exec(message)?.[1]
  if (unknown === undefined) return message.split('\n', 1).join('')
  const names = [...help.matchAll(/--([a-z][a-z-]+)/g)].flatMap(([, name]) => name ?? [])
  const near = closestTo(unknown, [...new Set(names)])
  return `Unknown option --${unknown}.${near === null ? ' --help lists the options.' : ` Did you mean --${near}?`}`
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  // Errors of parseArgs: an unknown option, a missing value.
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
