import { isIPv6 } from 'node:net'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import { isOtherLoopback } from '../http/loopback-address.js'
import type { Env } from '../env.js'
import { errorCode, type Log } from '../operations/log.js'
import { readDemoFile, seedDemo, writeDemoFile, type DemoFile } from './demo-file.js'
import type { LocalFiles } from './local-certificates.js'

/**
 * Writes the apps and users of the first start with the current addresses. They are made anew if the database does not
 * have the first app: it is another database than that of the file.
 */
export async function localDemo(
  env: Env,
  ports: Readonly<Record<'api' | 'internal' | 'secure', number>>,
  files: LocalFiles,
  tokens: Pick<DemoFile, 'internalToken' | 'operatorToken'>,
  parts: Parameters<typeof seedDemo>[0] & { readonly directory: Pick<AppDirectory, 'findApp'> },
  log: Log,
): Promise<DemoFile> {
  const kept = await readDemoFile(env.dataDir)
  const known = (await parts.directory.findApp(kept?.apps[0]?.appId ?? '')) === null ? null : kept
  const { apps, users } = known ?? (await seedDemo(parts))
  const demo: DemoFile = {
    apiUrl: `http://${urlHost(env.host)}:${ports.api}`,
    internalUrl: `http://${env.host === '::1' ? '[::1]' : '127.0.0.1'}:${ports.internal}`,
    secureUrl: `https://${isOtherLoopback(env.host) ? urlHost(env.host) : 'localhost'}:${ports.secure}`,
    caFile: files.caFile,
    receiverCertFile: files.certificateFile,
    receiverKeyFile: files.privateKeyFile,
    ...tokens,
    apps,
    users,
  }
  await writeDemoFile(env.dataDir, demo).catch((error: unknown) => {
    // A full disk does not stop the start: the server can still serve reads and free space.
    if (known === null || errorCode(error) !== 'ENOSPC') throw error
    log.warn('demo.json is that of an earlier start', { code: errorCode(error) })
  })
  return demo
}

/** Formats a `HOST` as the host of a URL. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}
