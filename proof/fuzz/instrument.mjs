// Counts the branches of our sources in every module that is loaded after this one: `node --import tsx --import`.
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { createInstrumenter } from 'istanbul-lib-instrument'

const isCounted = (url) => /\/(?:packages|apps)\/[^/]+\/src\/|\/proof\/fuzz\/behind-branches\.mjs/.test(url)

if (isMainThread) register(import.meta.url)

/** Hook of Node for the source of a module, after tsx has made JavaScript of it. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  if (loaded.format !== 'module' || !isCounted(url)) return loaded
  const instrumenter = createInstrumenter({ esModules: true, produceSourceMap: false })
  return { ...loaded, source: instrumenter.instrumentSync(String(loaded.source), fileURLToPath(url)) }
}
