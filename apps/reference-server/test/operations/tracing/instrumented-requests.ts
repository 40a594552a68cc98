import { createRequire, syncBuiltinESMExports } from 'node:module'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'

/** What an operator may have switched on beside the SDK: it adds trace headers to every request that Node makes. */
export function instrumentRequests(): () => void {
  const instrumentation = new HttpInstrumentation()
  const load = createRequire(import.meta.url)
  // It patches the modules when they are required. The second step takes that over into imports.
  for (const name of ['node:http', 'node:https']) load(name)
  syncBuiltinESMExports()
  return () => {
    instrumentation.disable()
    syncBuiltinESMExports()
  }
}
