import { version } from '../../package.json'
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
}

const help = `kyc-webhooks: receive, send, sign and verify the service's webhooks on your own machine

Usage: kyc-webhooks <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`)
  .join('\n')}

kyc-webhooks <command> --help shows the options of a command, with examples; kyc-webhooks --version the version.
`

/**
 * Runs one command.
 *
 * @returns the exit code: 0 done, 1 refused or failed, 2 a mistake in the command line.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.out(help)
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    terminal.out(version)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    terminal.err(`Unknown command. Known: ${Object.keys(commands).join(', ')}.`)
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.help)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    if (!isUsageError(error)) throw error
    // parseArgs adds advice after the first line.
    terminal.err(error.message.split('\n', 1).join(''))
    return 2
  }
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true
  // Errors of parseArgs: an unknown option, a missing value.
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
