import { createRequire } from 'node:module'

// By the name of the package: the published folder has the cases once, and not in each bundle.
const require = createRequire(import.meta.url)

/** Reads a file of `cases`. */
export const readCases = (name: 'ingestion' | 'receiver' | 'sender'): unknown =>
  require(`@kyc-relay/conformance/cases/${name}.json`)
