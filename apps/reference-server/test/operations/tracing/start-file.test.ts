import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startServerProcess } from '../../processes/server-process.js'

const installedPackages = fileURLToPath(new URL('../../../../../node_modules/@opentelemetry', import.meta.url))

/** As docs/operate.md says, with an exporter that writes lines into a file, and would write none for an hour. */
const startFileText = `import { appendFileSync } from 'node:fs'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const exporter = {
  export(spans, done) {
    for (const { name } of spans) appendFileSync(process.env.SPANS_FILE, JSON.stringify({ name }) + '\\n')
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}
const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 })
new NodeTracerProvider({ spanProcessors: [processor] }).register()
`

describe('the built server', () => {
  it('started with an SDK by NODE_OPTIONS traces, and gives it the last spans when it stops', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-start-file-'))
    const spansFile = join(folder, 'spans')
    // An SDK with a copy of the API of its own, as operators install it: beside the server.
    const startFile = join(folder, 'start-file.mjs')
    writeFileSync(startFile, startFileText)
    cpSync(installedPackages, join(folder, 'node_modules/@opentelemetry'), { recursive: true })
    const server = await startServerProcess(join(folder, 'data'), {
      NODE_OPTIONS: `--import ${startFile}`,
      SPANS_FILE: spansFile,
    })
    const { internalUrl, internalToken, users } = server.demo
    const { appId = '', userId = '' } = users[0] ?? {}
    const answer = await fetch(`${internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 1 } }),
    })
    expect(answer.status).toBe(202)
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
    const names = readFileSync(spansFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name)
    expect(names).toEqual(['publish event', 'POST /internal/v1/events'])
    rmSync(folder, { recursive: true, force: true })
  })
})
