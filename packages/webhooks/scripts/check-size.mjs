// Bundles `verifyWebhook` alone, as an application's bundler would, and fails when it has grown too large or has taken
// in something that belongs elsewhere. Wants a build: npm run build -w packages/webhooks.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const limitBytes = 2500
const entry = fileURLToPath(new URL('../dist/index.js', import.meta.url))
// The explainer, the lines for frameworks, the receivers, the schedule and the schemas, each by a text that stands in it alone.
const foreign = [
  'BODY_NEWLINE_ADDED',
  'bodyParser: false',
  'METHOD_NOT_ALLOWED',
  'maxRetryAfterMs',
  'strictObject',
  'from"node:',
]

/** What an application loads before it calls anything: the bundle, or the parts that its first part imports. */
async function bundled(splitting) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { verifyWebhook } from ${JSON.stringify(entry)}`, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    splitting,
    outdir: 'bundle',
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const first = Object.keys(metafile.outputs).find((name) => name.endsWith('stdin.js'))
  const loaded = new Set([first])
  for (const name of loaded) {
    for (const { path, kind } of metafile.outputs[name].imports) if (kind === 'import-statement') loaded.add(path)
  }
  return outputFiles.filter((file) => [...loaded].some((name) => file.path.endsWith(name.replace(/^.*\//, ''))))
}

for (const [how, splitting] of [
  ['in one file', false],
  ['cut into parts', true],
]) {
  const files = await bundled(splitting)
  const minified = files.reduce((sum, { contents }) => sum + contents.byteLength, 0)
  const size = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).byteLength, 0)
  console.log(
    `verifyWebhook alone, ${how}: ${size} bytes minified and gzipped (limit ${limitBytes}), ${minified} minified`,
  )
  const taken = foreign.filter((text) => files.some((file) => file.text.includes(text)))
  if (taken.length > 0) console.error(`It has taken in what it does not need: ${taken.join(', ')}`)
  if (size > limitBytes) console.error('It is too large.')
  if (taken.length > 0 || size > limitBytes) process.exitCode = 1
}
