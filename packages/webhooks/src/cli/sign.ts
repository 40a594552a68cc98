import { parseArgs } from 'node:util'
import { signWebhook } from '../signature/sign-webhook.js'
import { readBodyArgument } from './body-argument.js'
import type { Command } from './command.js'
import { findSecret, secretHelp, secretOptions } from './secret-option.js'

/** Command: prints the signature of a body. */
export const signCommand: Command = {
  summary: 'print the X-HMAC-Signature of a body',
  help: `Usage: kyc-webhooks sign [FILE] [options]

Prints the HMAC-SHA-256 of the bytes of FILE, or of standard input, as
X-HMAC-Signature carries it.

${secretHelp}
  --json               print {"signature": "…", "bodyBytes": n}

Exit code: 0 it was printed, 2 a mistake in the command line.

Examples:
  kyc-webhooks sign event.json --data-dir ./data
  printf '%s' "$BODY" | kyc-webhooks sign --secret-file api-key.txt
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...secretOptions, json: { type: 'boolean' } },
    })
    const secret = await findSecret(values, terminal)
    const body = await readBodyArgument(positionals, terminal)
    const signature = await signWebhook(body, secret)
    terminal.out(values.json ? JSON.stringify({ signature, bodyBytes: body.byteLength }) : signature)
    return 0
  },
}
