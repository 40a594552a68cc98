import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'

it.each(['PORT', 'INTERNAL_PORT', 'SECURE_PORT'])('a start says that %s is taken, by name', async (name) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-taken-port-'))
  onTestFinished(() => {
    other.close()
    rmSync(dataDir, { recursive: true })
  })
  const ports = {
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    [name]: String((other.address() as AddressInfo).port),
  }
  const starting = startServer(parseEnv({ ...ports, DATA_DIR: dataDir }), createLog({ logLevel: 'silent' }))
  await expect(starting).rejects.toMatchObject({
    code: 'PORT_UNUSABLE',
    message: expect.stringMatching(
      new RegExp(`^${name}: another process or setting uses port ${ports[name]}\\. `),
    ) as string,
  })
})
