// A program of its own: takes cases on standard input, becomes another runtime by its globals, and signs and verifies.
import { json } from 'node:stream/consumers'
import { signWebhook, verifySignature } from '@kyc-relay/webhooks'

export interface SigningCase {
  readonly body: { readonly text: string } | { readonly base64: string }
  readonly key: string
  readonly expected: string
}

export type Runtime =
  | 'Node'
  | 'process without getBuiltinModule'
  | 'no process and no Buffer'
  | 'a polyfill of node:crypto without HMAC'
  | 'getBuiltinModule that knows nothing'
  | 'getBuiltinModule that throws'

export interface RuntimeReport {
  /** What `typeof` says of them on this runtime. */
  readonly globals: Readonly<Record<string, string>>
  readonly signed: readonly { signature: string; verified: boolean; refused: boolean }[]
}

interface Globals {
  process?: { getBuiltinModule?: (name: string) => { createHmac?: unknown; timingSafeEqual?: unknown } | undefined }
  Buffer?: unknown
}

const { stdin, stdout, argv } = process
const runtime = argv[2] as Runtime
const cases = (await json(stdin)) as readonly SigningCase[]
const given = cases.map(({ body, key, expected }) => {
  const bytes = 'base64' in body ? new Uint8Array(Buffer.from(body.base64, 'base64')) : body.text
  return { body: bytes, key, expected }
})

const here = globalThis as Globals
const builtins = (modules: Record<string, object>) => ({ getBuiltinModule: (name: string) => modules[name] })
const enter: Record<Runtime, () => void> = {
  Node: () => undefined,
  'process without getBuiltinModule': () => {
    here.process = {}
  },
  'no process and no Buffer': () => {
    delete here.process
    delete here.Buffer
  },
  'a polyfill of node:crypto without HMAC': () => {
    here.process = builtins({ 'node:crypto': {} })
  },
  'getBuiltinModule that knows nothing': () => {
    here.process = builtins({})
  },
  'getBuiltinModule that throws': () => {
    here.process = {
      getBuiltinModule: () => {
        throw new Error('not supported here')
      },
    }
  },
}
enter[runtime]()

const signed = []
for (const { body, key, expected } of given) {
  const flipped = `${expected.slice(0, -1)}${expected.endsWith('0') ? '1' : '0'}`
  const verify = (signature: string) => verifySignature({ body, signature, secrets: ['other', key] })
  // Decoders of hexadecimal text take capitals, and drop what is left over.
  const malformed = [`${expected}0`, `${expected}zz`, expected.toUpperCase(), expected.slice(0, -1), '']
  signed.push({
    signature: await signWebhook(body, key),
    verified: await verify(expected),
    refused: !(await Promise.all([flipped, ...malformed].map(verify))).includes(true),
  })
}

const offered = runtime.endsWith('throws') ? undefined : here.process?.getBuiltinModule?.('node:crypto')
const globals: Record<string, string> = { process: typeof here.process, Buffer: typeof here.Buffer }
if (offered?.createHmac !== undefined) {
  globals['createHmac'] = typeof offered.createHmac
  globals['timingSafeEqual'] = typeof offered.timingSafeEqual
}
stdout.write(JSON.stringify({ globals, signed } satisfies RuntimeReport))
