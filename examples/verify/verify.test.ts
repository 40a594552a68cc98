import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { signWebhook } from '@kyc-relay/webhooks'
import { eventCatalogue } from '@kyc-relay/webhooks/events'
import { describe, expect, it } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const apiKey = 'kyc_key_example'
const body = JSON.stringify({ ...eventCatalogue.TRANSACTION_CREATE.example, description: 'Café “Crème” 🥐\n' })

/** Each program with the question that says whether its language is here. */
const languages = [
  { name: 'Node.js', probe: ['node', '--version'], run: ['node', 'verify.node.mjs'] },
  { name: 'Python', probe: ['python3', '--version'], run: ['python3', 'verify.py'] },
  { name: 'Ruby', probe: ['ruby', '-ropenssl', '-e', 'OpenSSL.method(:secure_compare)'], run: ['ruby', 'verify.rb'] },
  { name: 'PHP', probe: ['php', '--version'], run: ['php', 'verify.php'] },
  { name: 'Go', probe: ['go', 'version'], run: ['go', 'run', 'verify.go'] },
  // From version 17 on, Java runs a source file and has HexFormat.
  { name: 'Java', probe: ['java', '--list-modules'], run: ['java', 'Verify.java'] },
] as const

function start([command = '', ...args]: readonly string[], input: string, key = apiKey) {
  return spawnSync(command, args, {
    cwd: folder,
    input,
    encoding: 'utf8',
    env: { ...process.env, KYC_RELAY_API_KEY: key },
    timeout: 60_000,
  })
}

const execute = (...given: Parameters<typeof start>) => start(...given).status

describe.each(languages)('verification in $name', ({ name, probe, run }) => {
  const found = spawnSync(probe[0], probe.slice(1), { encoding: 'utf8' })
  const isHere = found.status === 0 && (name !== 'Java' || found.stdout.includes('jdk.compiler@'))
  if (!isHere) process.stderr.write(`\nNOT RUN: verification in ${name}, which is not installed.\n`)

  it.runIf(isHere)(
    'accepts the exact bytes under the right key, and nothing else',
    async () => {
      const signature = await signWebhook(body, apiKey)
      expect(execute([...run, signature], body)).toBe(0)
      const otherDigit = signature.startsWith('0') ? '1' : '0'
      const refused = [
        execute([...run, signature], `${body} `),
        execute([...run, signature], body, 'another key'),
        execute([...run, otherDigit + signature.slice(1)], body),
        execute([...run, signature.slice(0, -1)], body),
        execute([...run, ''], body),
        execute([...run, createHmac('sha256', '').update(body).digest('hex')], body, ''),
      ]
      expect(refused).toEqual([1, 1, 1, 1, 1, 1])
      // A request without the header is refused, and ends no receiver. In Go it has an empty text, as above.
      if (name !== 'Go') expect(start(run, body)).toMatchObject({ status: 1, stderr: '' })
    },
    120_000,
  )
})
