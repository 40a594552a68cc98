import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { signWebhook, verifyWebhook, WebhookVerificationError } from '@kyc-relay/webhooks'
import { signatureVectors } from '@kyc-relay/webhooks/testing'

describe('signature vectors, made by Python', () => {
  test.each(signatureVectors)('$id: $reason', async (vector) => {
    const { headers, secrets } = vector
    for (const body of [
      Buffer.from(vector.bodyBase64, 'base64'),
      new Uint8Array(Buffer.from(vector.bodyBase64, 'base64')),
    ]) {
      const outcome = await verifyWebhook({ body, headers, secrets }).then(
        ({ type, test }) => ({ accepted: true, code: null, type, test }),
        (error: unknown) => {
          if (!(error instanceof WebhookVerificationError)) throw error
          return { accepted: false, code: error.code, type: null, test: false }
        },
      )
      const { accepted, code, type, test } = vector
      expect(outcome).toEqual({ accepted, code, type, test })
    }
  })

  test('there are as many refusals as acceptances, and every id is unique', () => {
    expect(new Set(signatureVectors.map(({ id }) => id)).size).toBe(signatureVectors.length)
    expect(signatureVectors.filter(({ accepted }) => accepted).length).toBeGreaterThan(15)
    expect(signatureVectors.filter(({ accepted }) => !accepted).length).toBeGreaterThan(30)
  })

  test('the committed file is what the generator makes', () => {
    const path = fileURLToPath(new URL('../../src/testing/vectors.json', import.meta.url))
    const committed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const script = fileURLToPath(new URL('../../scripts/make-signature-vectors.py', import.meta.url))
    const made: unknown = JSON.parse(execFileSync('python3', [script, '--print'], { encoding: 'utf8', maxBuffer: 1e7 }))
    expect(made).toEqual(committed)
  })
})

describe('other languages come to the same signatures', () => {
  const folder = fileURLToPath(new URL('../interop/', import.meta.url))
  const scratch = mkdtempSync(join(tmpdir(), 'kyc-relay-interop-'))
  afterAll(() => rmSync(scratch, { recursive: true }))

  const languages: readonly { name: string; command: readonly string[]; compile?: readonly string[] }[] = [
    { name: 'Python', command: ['python3', `${folder}sign.py`] },
    { name: 'Perl', command: ['perl', `${folder}sign.pl`] },
    { name: 'Bash with OpenSSL', command: ['bash', `${folder}sign.sh`], compile: ['openssl', 'version'] },
    {
      name: 'C++',
      command: [join(scratch, 'hmac')],
      compile: ['g++', '-O1', '-o', join(scratch, 'hmac'), `${folder}sign.cpp`],
    },
    { name: 'Java', command: ['java', `${folder}Sign.java`], compile: ['java', '-version'] },
    { name: 'Ruby', command: ['ruby', `${folder}sign.rb`] },
    { name: 'PHP', command: ['php', `${folder}sign.php`] },
  ]

  function isMissing([command = '', ...args]: readonly string[]): boolean {
    const { error } = spawnSync(command, args, { input: '', stdio: 'pipe' })
    return error !== undefined && 'code' in error && error.code === 'ENOENT'
  }

  test('at least four of them, every vector', async () => {
    // The verdict on each vector is drawn from the other language's own HMAC, as a receiver written in it would.
    const signed = signatureVectors.filter(({ code }) => code === null || code === 'SIGNATURE_MISMATCH')
    const cases = signed.flatMap(({ id, bodyBase64, secrets }) =>
      secrets.map((secret, index) => ({ id, key: `${id}#${index}`, secret, body: Buffer.from(bodyBase64, 'base64') })),
    )
    const input = cases
      .map(({ key, secret, body }) => `${key}\t${Buffer.from(secret).toString('hex')}\t${body.toString('hex')}\n`)
      .join('')
    const ours = await Promise.all(cases.map(({ body, secret }) => signWebhook(body, secret)))
    const expected = cases.map(({ key }, index) => `${key}\t${ours[index]}`)

    const ran: string[] = []
    for (const { name, command, compile } of languages) {
      if (isMissing(compile ?? command)) {
        console.warn(`Signature vectors: not run in ${name}, which is not installed here.`)
        continue
      }
      const [file = '', ...args] = command
      const printed = execFileSync(file, args, { input, encoding: 'utf8' }).trimEnd().split('\n')
      expect(printed, name).toEqual(expected)

      for (const { id, accepted, headers } of signed) {
        const theirs = printed.filter((line) => line.startsWith(`${id}#`)).map((line) => line.split('\t')[1])
        const given = headers['X-HMAC-Signature'] ?? headers['x-hmac-signature']
        expect(theirs.includes(given), `${name}: ${id}`).toBe(accepted)
      }
      ran.push(name)
    }
    expect(ran.length, `ran in ${ran.join(', ')}`).toBeGreaterThanOrEqual(4)
  })
})
