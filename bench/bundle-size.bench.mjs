// Measures what an application loads to verify a webhook: the one function of each library, bundled with all that it needs,
// minified and compressed.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { atMost, printTable, writeReport } from './harness.mjs'

const reachBytes = 2_500
const contenders = {
  'kyc-relay, verifyWebhook': `export { verifyWebhook } from '@kyc-relay/webhooks'`,
  'Standard Webhooks, Webhook': `export { Webhook } from 'standardwebhooks'`,
  'octokit, verify': `export { verify } from '@octokit/webhooks-methods'`,
}

const rows = []
for (const [contender, contents] of Object.entries(contenders)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    write: false,
    logLevel: 'error',
  })
  const [{ contents: bundle }] = outputFiles
  rows.push({ contender, compressed: gzipSync(bundle, { level: 9 }).byteLength, minified: bundle.byteLength })
}
printTable(rows, 'contender', 0)
writeReport('bundle-size', {
  unit: 'bytes',
  setup: { 'all of them': 'esbuild in one file, minified, then gzip at level 9' },
  rows,
  goals: [atMost('verifyWebhook alone, bytes', rows[0].compressed, reachBytes)],
})
