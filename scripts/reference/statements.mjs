// The OpenAPI document, the settings and the SDL, from the sources of the server and of kyc-core: nothing has to be built before.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../published-packages.mjs'

const entry = `
import { createEventCatalogue } from './apps/reference-server/src/events/event-catalogue.js'
import { partnerDocument } from './apps/reference-server/src/webhooks-api/openapi-document.js'
import { internalDocument } from './apps/reference-server/src/operator-api/internal-document.js'
import { webhookOperations } from './apps/reference-server/src/webhooks-api/webhook-operations.js'
export { settingGroups } from './apps/reference-server/src/settings.js'
export { typeDefs } from './packages/kyc-core/src/graphql/type-definitions.js'
export { VIOLATION_MESSAGES } from './packages/kyc-core/src/submission/violation.js'
export { WARNING_MESSAGES } from './packages/kyc-core/src/submission/warning.js'
const catalogue = createEventCatalogue()
export const openApi = partnerDocument(Object.values(webhookOperations), catalogue)
export const internalOpenApi = internalDocument(catalogue.names)
`

export async function loadStatements() {
  const outfile = path.join(root, 'node_modules', '.cache', `reference-statements-${process.pid}.mjs`)
  try {
    await build({
      stdin: { contents: entry, resolveDir: root, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      tsconfig: path.join(root, 'tsconfig.json'), // its paths lead to the sources of the packages
      format: 'esm',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}
