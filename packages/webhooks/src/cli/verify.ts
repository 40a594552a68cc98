import { parseArgs } from 'node:util'
import type { ReceiverFramework } from '../receiver/raw-body.js'
import { explainMismatch } from '../signature/explain-mismatch.js'
import { readBodyArgument } from './body-argument.js'
import { createPalette } from './colours.js'
import { UsageError, type Command } from './command.js'
import { parseCount } from './count-option.js'
import { diagnosisText } from './diagnosis-text.js'
import { findSecret, secretHelp, secretOptions } from './secret-option.js'

const frameworks: readonly ReceiverFramework[] = [
  'express',
  'fastify',
  'koa',
  'hono',
  'next',
  'aws-lambda',
  'cloudflare-workers',
  'node',
  'fetch',
]

/** Command: checks a body against a signature and explains a mismatch. */
export const verifyCommand: Command = {
  summary: 'check a body against a signature, and explain a mismatch',
  help: `Usage: kyc-webhooks verify [FILE] --signature VALUE [options]

Checks the bytes of FILE, or of standard input, against the value of
X-HMAC-Signature. When they do not match, tries what usually happens to bodies
and secrets, and says what to change. Never prints a secret or the right
signature.

  --signature VALUE    what X-HMAC-Signature held, as it came
${secretHelp}
  --framework NAME     name the line to change in
                       ${frameworks.slice(0, 5).join(', ')},
                       ${frameworks.slice(5).join(', ')}
  --content-length N   what Content-Length said, to see if bytes are missing
  --json               print {"verified": true}, or false with a "diagnosis"

Exit code: 0 it verifies, 1 it does not, 2 a mistake in the command line.

Examples:
  kyc-webhooks verify body.json --signature 5f3a… --data-dir ./data
  kyc-webhooks verify --signature "$SIGNATURE" --secret-file api-key.txt \\
    --framework express < body.json
`,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...secretOptions,
        signature: { type: 'string' },
        framework: { type: 'string' },
        'content-length': { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    if (values.signature === undefined) throw new UsageError('Give the value of X-HMAC-Signature: --signature VALUE.')
    const framework = frameworks.find((known) => known === values.framework)
    if (values.framework !== undefined && !framework) {
      throw new UsageError(`--framework is one of ${frameworks.join(', ')}.`)
    }
    parseCount('--content-length', values['content-length'], 0, 999_999_999)
    const secrets = await findSecret(values, terminal)
    const body = await readBodyArgument(positionals, terminal)
    const headers = {
      'x-hmac-signature': values.signature,
      'x-event-id': 'from-the-command-line',
      'content-length': values['content-length'],
    }
    const diagnosis = await explainMismatch({ body, headers, secrets, framework })

    if (values.json) {
      terminal.out(JSON.stringify(diagnosis ? { verified: false, diagnosis } : { verified: true }))
    } else {
      const palette = createPalette(terminal.colours)
      terminal.out(
        diagnosis
          ? `${palette.bad('The webhook does not verify.')}\n${diagnosisText(diagnosis, palette)}`
          : palette.good('The webhook verifies.'),
      )
    }
    return diagnosis ? 1 : 0
  },
}
