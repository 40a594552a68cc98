import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { signWebhook } from '@kyc-relay/webhooks'
import { build, type Format } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programs } from './programs.js'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../packages/webhooks/src/index.ts', import.meta.url))
const vectors = fileURLToPath(new URL('../../packages/webhooks/src/testing/vectors.json', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'kyc-relay-runtimes-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** One file that needs nothing: the same bundle on every runtime. */
async function bundle(name: string, contents: string, format: Format = 'esm'): Promise<string> {
  const outfile = join(scratch, name)
  const { metafile } = await build({
    stdin: { contents, resolveDir: here, loader: 'ts' },
    bundle: true,
    format,
    platform: 'neutral',
    globalName: 'bundle',
    alias: { '@kyc-relay/webhooks': root, '@kyc-relay/webhooks/vectors.json': vectors },
    outfile,
    metafile: true,
    logLevel: 'error',
  })
  // The folder contains only the package.
  expect(Object.keys(metafile.inputs).filter((input) => input.includes('node_modules'))).toEqual([])
  return outfile
}

let check = ''
beforeAll(async () => {
  check = await bundle(
    'check.mjs',
    "import { checkReceiver } from './check-receiver.js'; console.log(JSON.stringify(await checkReceiver()))",
  )
})

describe('the receiver holds', () => {
  test.each([
    ['Node', programs.Node, []],
    ['Bun', programs.Bun, ['run']],
    ['Deno', programs.Deno, ['run', '--no-prompt', '--no-config']],
  ])('on %s', async (_name, program, args) => {
    const { stdout } = await run(program(), [...args, check], { cwd: scratch, env: { ...process.env, NO_COLOR: '1' } })
    expect(JSON.parse(stdout)).toEqual([])
  })

  test('on Cloudflare Workers', async () => {
    await bundle(
      'worker-test.mjs',
      `import { checkReceiver } from './check-receiver.js'
       export default { async test() { const failures = await checkReceiver(); if (failures.length) throw new Error(failures.join('; ')) } }`,
    )
    writeFileSync(join(scratch, 'test.capnp'), workerConfig('worker-test.mjs', ''))
    await run(programs.workerd(), ['test', join(scratch, 'test.capnp')])
  })

  test('in a browser: Web Crypto, and nothing of Node', async () => {
    const file = await bundle('browser.js', "export { checkReceiver } from './check-receiver.js'", 'iife')
    const { readFileSync } = await import('node:fs')
    const globals = {
      crypto,
      TextEncoder,
      TextDecoder,
      atob,
      btoa,
      Request,
      Response,
      Headers,
      ReadableStream,
      setTimeout,
      clearTimeout,
    }
    const context = createContext({ ...globals, Uint8Array, ArrayBuffer })
    const failures: unknown = await runInContext(`${readFileSync(file, 'utf8')}; bundle.checkReceiver()`, context)
    expect(runInContext('typeof process + typeof Buffer + typeof require', context)).toBe('undefinedundefinedundefined')
    expect(failures).toHaveLength(0)
  })

  test("in Jest's jsdom: Node's process and Buffer, typed arrays of another realm, no TextDecoder, no Web Crypto", async () => {
    const file = await bundle('jsdom.js', `export * from ${JSON.stringify(root)}`, 'iife')
    const { readFileSync } = await import('node:fs')
    const context = createContext({ process, Buffer })
    const body = '{"eventType":"WIDGET_KYC_INITIATION","note":"é"}'
    const signature = await signWebhook(body, 'k')
    const script = `${readFileSync(file, 'utf8')}
      const bytes = Uint8Array.from(${JSON.stringify([...Buffer.from(body)])})
      bundle.verifyWebhook({ body: bytes, headers: { 'x-hmac-signature': '${signature}', 'x-event-id': 'an-id' }, secrets: 'k' })`
    expect(await runInContext(script, context)).toMatchObject({ type: 'WIDGET_KYC_INITIATION', event: { note: 'é' } })
  })
})

describe('the recipe for Cloudflare Workers', () => {
  test('runs in workerd and answers over HTTP', async () => {
    const apiKey = 'kyc_key_example_only'
    await bundle('worker.mjs', "export { default } from '../receivers/cloudflare-worker.js'")
    const socket = ',\n sockets = [(name = "http", address = "127.0.0.1:0", service = "worker", http = ())]'
    writeFileSync(
      join(scratch, 'serve.capnp'),
      workerConfig('worker.mjs', `, bindings = [(name = "KYC_RELAY_API_KEY", text = "${apiKey}")]`, socket),
    )
    const worker = spawn(programs.workerd(), ['serve', '--control-fd=3', join(scratch, 'serve.capnp')], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    try {
      const control = worker.stdio[3] as Readable
      const [line] = (await once(control, 'data')) as [Buffer]
      const { port } = JSON.parse(line.toString()) as { port: number }
      const body = '{"eventType":"WIDGET_DEPOSIT_COMPLETE","externalReferenceId":"Zoë","amount":100.5}'
      const signature = await signWebhook(body, apiKey)
      const send = async (sent: string, method = 'POST') => {
        const headers = { 'x-hmac-signature': signature, 'x-event-id': crypto.randomUUID() }
        const response = await fetch(`http://127.0.0.1:${port}/`, {
          method,
          headers,
          ...(method === 'POST' ? { body: sent } : {}),
        })
        await response.text()
        return response.status
      }
      expect(await send(body)).toBe(200)
      expect(await send(`${body}\n`)).toBe(401)
      expect(await send('x'.repeat(1_000_000))).toBe(413)
      expect(await send('', 'GET')).toBe(405)
    } finally {
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
  })
})

describe('the recipe for plain Fetch', () => {
  test.each([
    ['Bun', programs.Bun, ['run']],
    ['Deno', programs.Deno, ['serve', '--no-config', '--host', '127.0.0.1', '--port', '0']],
  ])('is served by %s', async (name, program, args) => {
    const apiKey = 'kyc_key_example_only'
    const served = await bundle(
      `served-by-${name}.mjs`,
      `import { createServer } from '../receivers/fetch.js'
       const server = createServer({ apiKey: '${apiKey}', onDeposit: async () => {} })
       export default { hostname: '127.0.0.1', port: 0, fetch: (request) => server.fetch(request) }`,
    )
    const child = spawn(program(), [...args, served], { cwd: scratch, env: { ...process.env, NO_COLOR: '1' } })
    try {
      const address = await printedAddress(child.stdout, child.stderr)
      const body = '{"eventType":"WIDGET_DEPOSIT_COMPLETE","externalReferenceId":"Zoë","amount":100.5}'
      const headers = { 'x-hmac-signature': await signWebhook(body, apiKey), 'x-event-id': crypto.randomUUID() }
      const statusOf = async (path: string, sent: string) => {
        const response = await fetch(new URL(path, address), { method: 'POST', headers, body: sent })
        await response.text()
        return response.status
      }
      expect(await statusOf('/webhooks', body)).toBe(200)
      expect(await statusOf('/webhooks', `${body}\n`)).toBe(401)
      expect(await statusOf('/webhooks', 'x'.repeat(1_000_000))).toBe(413)
      expect(await statusOf('/other', body)).toBe(404)
    } finally {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })
})

/** The address that a server prints when it listens. */
function printedAddress(...streams: readonly Readable[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    for (const stream of streams) {
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
        if (address) resolve(address)
      })
      stream.once('end', () => reject(new Error(`No address was printed: ${printed}`)))
    }
  })
}

/** A Cap'n Proto configuration of workerd with one worker. */
function workerConfig(module: string, bindings: string, sockets = ''): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
 services = [(name = "worker", worker = (
  modules = [(name = "worker", esModule = embed "${module}")],
  compatibilityDate = "2026-01-01"${bindings}
 ))]${sockets}
);
`
}
