// Bundles `verifyWebhook` alone, as an application's bundler would, and fails when it has grown too large or has taken
// in something that belongs elsewhere. Wants a build: npm run build -w packages/webhooks.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const limitBytes = 2500
const entry = fileURLToPath(new URL('../dist/index.js', import.meta.url))
// The explainer, the receivers, the schedule and the schemas, each by a text that stands in it alone.
const foreign = ['BODY_NEWLINE_ADDED', 'METHOD_NOT_ALLOWED', 'maxRetryAfterMs', 'strictObject', 'from"node:']

const { outputFiles } = await build({
  stdin: { contents: `export { verifyWebhook } from ${JSON.stringify(entry)}`, resolveDir: '.' },
  bundle: true,
  minify: true,
  format: 'esm',
  splitting: false,
  write: false,
  logLevel: 'error',
})
const [bundle] = outputFiles
const size = gzipSync(bundle.contents, { level: 9 }).byteLength
console.log(
  `verifyWebhook alone: ${size} bytes minified and gzipped (limit ${limitBytes}), ${bundle.contents.byteLength} minified`,
)

const taken = foreign.filter((text) => bundle.text.includes(text))
if (taken.length > 0) console.error(`It has taken in what it does not need: ${taken.join(', ')}`)
if (size > limitBytes) console.error('It is too large.')
process.exitCode = taken.length > 0 || size > limitBytes ? 1 : 0
