import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer, type EmbeddedServer } from './embedded-server.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers the connection string of the PostgreSQL that all test files share. The first request starts the server. */
    postgresUrlFrom: string
  }
}

/** Global set-up of Vitest: one PostgreSQL for all files of a run, started when the first file asks for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<EmbeddedServer> | undefined
  const addressServer = createServer((_request, response) => {
    started ??= startEmbeddedServer()
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => addressServer.listen(0, '127.0.0.1', resolve))
  project.provide('postgresUrlFrom', `http://127.0.0.1:${(addressServer.address() as AddressInfo).port}`)
  return async () => {
    addressServer.close()
    addressServer.closeAllConnections()
    await (await started?.catch(() => undefined))?.stop()
  }
}
