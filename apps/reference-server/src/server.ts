import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import { openServerParts, type ServerParts } from './wiring/server-parts.js'
import { servesWorker, type Env } from './env.js'
import { graphqlErrorBody, problemBody } from './http/error-bodies.js'
import { startListener, type Listener } from './http/listener.js'
import { createLoadShedding } from './http/load-shedding/load-shedding.js'
import type { EdgeEnv } from './http/request-context.js'
import { anyHost, certificateHosts, loopbackHosts, type ServesHost } from './http/served-hosts.js'
import { localDemo } from './start/local-demo.js'
import { isPortTaken, portError, portSettings } from './start/port-error.js'
import { secureTls } from './start/secure-tls.js'
import { startGuide } from './start/start-guide.js'
import { isLoopbackAddress } from './http/loopback-address.js'
import { ensureLocalCertificates } from './start/local-certificates.js'
import { loadEventTypes } from './start/load-event-types.js'
import { loadOperators } from './start/load-operators.js'
import { ensureDataDir, ensureInternalToken, ensureLocalOperator, loadKeyFile } from './start/local-files.js'
import { createStartingApp } from './operations/starting-app.js'
import { watchFileDescriptors } from './operations/file-descriptors.js'
import { createLog, errorCode, type ServerLog } from './operations/log.js'
import { createRateLimitedWarning } from './operations/rate-limited-warning.js'
import { checkStart } from './start/check-start.js'
import { driverMayAbort, installedDriverVersion } from './start/sqlite-driver.js'
import { inspectDatabases, usesPostgres, usesSqlite, type StoreFailure } from './wiring/storage.js'

/** A running server. */
export interface RunningServer {
  /** Guide for a developer on the first start. Empty in production. */
  readonly guide: string
  /**
   * Ports of the listeners; 0 for one that the role does not have. `operations` serves probes and metrics if there is
   * no internal API.
   */
  readonly ports: {
    readonly api: number
    readonly internal: number
    readonly secure: number
    readonly operations: number
  }
  /**
   * Stops accepting connections, waits for requests and attempts in flight, and closes the databases. Takes at most 35
   * s.
   */
  stop(reason: string): Promise<void>
}

/** Starts the server: files, databases, listeners, worker. */
export async function startServer(
  env: Env,
  log: ServerLog = createLog(env),
  onStoreFailure: (failure: StoreFailure) => void = () => undefined,
  nodeVersion = process.version,
): Promise<RunningServer> {
  for (const detail of env.unknownSettings) log.warn('a setting has an unknown name', { detail })
  const driverVersion = usesSqlite(env) ? installedDriverVersion() : null
  if (driverVersion !== null && driverMayAbort(nodeVersion, driverVersion)) {
    log.warn('this better-sqlite3 makes this Node abort: npm install --no-save better-sqlite3@13')
  }
  // In production the secure endpoint writes no files except those of SQLite.
  if (!env.production || env.role !== 'secure' || usesSqlite(env)) await ensureDataDir(env.dataDir)
  let inspection: ReturnType<typeof inspectDatabases> | null = null
  // The start needs the answer twice, but a present key file lets the databases wait until the listeners are open.
  const inspectOnce = () => (inspection ??= inspectDatabases(env))
  const keys = await loadKeyFile(env, log, async () => (await inspectOnce()).needKeys)
  const localFiles = env.production ? null : await ensureLocalCertificates(env.dataDir, new Date(), env.host)
  const serves = (role: Env['role']) => env.role === 'all' || env.role === role
  const tls = serves('secure') ? await secureTls(env, localFiles) : null
  const internalToken = env.internalToken ?? (env.production ? null : await ensureInternalToken(env.dataDir))
  const local = serves('api') && !env.production && env.operatorsFile === null
  const localOperator = local ? await ensureLocalOperator(env.dataDir) : null
  const operators = localOperator
    ? [localOperator.operator]
    : serves('api')
      ? await loadOperators(env.operatorsFile)
      : []
  const ownEventTypes = await loadEventTypes(env.eventTypesFile)
  const localCaPem = localFiles === null ? null : await readFile(localFiles.caFile, 'utf8')
  let parts: ServerParts | null = null

  const warnOfRefusal = createRateLimitedWarning((count) =>
    log.warn('requests refused for overload', { code: 'UNAVAILABLE', detail: 'OVERLOADED', count }),
  )
  const warnOfDrop = createRateLimitedWarning((count) =>
    log.warn('connections closed because MAX_CONNECTIONS was reached', { count }),
  )
  const stopWatching = watchFileDescriptors(log, () => performance.now())
  const loadShedding = createLoadShedding({
    maxInFlight: env.maxInFlight,
    onRefused() {
      warnOfRefusal()
      parts?.metrics.requestRefused()
    },
  })
  const open = async (): Promise<ServerParts> => {
    await inspectOnce()
    const opened = await openServerParts({
      env,
      keys,
      internalToken,
      operators,
      ownEventTypes,
      localCaPem,
      log,
      onStoreFailure,
    })
    await checkStart({ ...opened, keys, env, log }).catch(async (error: unknown) => {
      opened.disk.stop()
      await opened.storage.close()
      throw error
    })
    return opened
  }
  const listeners: Listener[] = []
  type ListenOptions = Omit<Parameters<typeof startListener>[0], 'loadShedding' | 'connections' | 'app'>
  /** Listens before the databases are open, so that probes are answered while PostgreSQL migrates. */
  const listen = async (appOf: (parts: ServerParts) => Hono<EdgeEnv>, options: ListenOptions) => {
    const starting = createStartingApp(options.errorBody)
    const app: Pick<Hono<EdgeEnv>, 'fetch'> = {
      fetch: (request, bindings) => (parts === null ? starting : appOf(parts)).fetch(request, bindings),
    }
    const onDropped = () => {
      warnOfDrop()
      parts?.metrics.connectionDropped(options.name)
    }
    const connections = { max: env.maxConnections, onDropped }
    const listener = await startListener({ ...options, app, loadShedding, connections }).catch((error: unknown) => {
      const hostSetting = options.host === env.operationsHost ? 'OPERATIONS_HOST' : 'HOST'
      throw portError(error, { setting: portSettings[options.name], port: options.port, hostSetting })
    })
    listeners.push(listener)
    log.info('listening', { listener: options.name, port: listener.port })
    return listener.port
  }
  /**
   * Opens the listener for probes and metrics. If another process on this machine uses the port, the server continues
   * without it, unless `OPERATIONS_HOST` is set.
   */
  const listenForOperations = async () => {
    const host = env.operationsHost ?? loopbackOf(env.host)
    try {
      return await listen((parts) => parts.operationsApp, {
        name: 'internal',
        host,
        port: env.internalPort,
        tls: null,
        servesHost: plainHosts(env, host),
        errorBody: problemBody,
        log,
      })
    } catch (error) {
      if (env.operationsHost !== null || !isPortTaken(error)) throw error
      log.warn('no probes and metrics: INTERNAL_PORT is taken', { code: errorCode(error) })
      return 0
    }
  }
  const stop = async (reason: string) => {
    // A start that failed before opening anything prints only its error.
    if (parts !== null) log.info('stopping', { signal: reason })
    parts?.beginStopping()
    loadShedding.stop()
    stopWatching()
    parts?.disk.stop()
    const closing = listeners.map((listener) => listener.close())
    if (parts === null) return void (await Promise.all(closing))
    await Promise.all([...closing, parts.worker.stop(), parts.photoWorker.stop(), parts.maintenance.stop()])
    if (servesWorker(env)) {
      await parts.writeCheckpoints().catch((error: unknown) => {
        log.error('audit checkpoints not written', { code: errorCode(error) })
      })
    }
    await parts.storage.close()
  }

  try {
    // SQLite migrations block the event loop: a listener would accept connections but not answer.
    if (!usesPostgres(env)) parts = await open()
    const ports = {
      api: serves('api')
        ? await listen((parts) => parts.standardApp, {
            name: 'api',
            host: env.host,
            port: env.port,
            tls: null,
            servesHost: plainHosts(env, env.host),
            errorBody: problemBody,
            log,
          })
        : 0,
      internal: serves('api')
        ? await listen((parts) => parts.internalApp, {
            name: 'internal',
            host: loopbackOf(env.host),
            port: env.internalPort,
            tls: null,
            servesHost: plainHosts(env, loopbackOf(env.host)),
            errorBody: problemBody,
            log,
          })
        : 0,
      secure: serves('secure')
        ? await listen((parts) => parts.secureApp, {
            name: 'secure',
            host: env.host,
            port: env.securePort,
            tls,
            servesHost: tls === null ? anyHost : certificateHosts(tls.cert),
            errorBody: graphqlErrorBody,
            log,
          })
        : 0,
      operations: serves('api') ? 0 : await listenForOperations(),
    }
    parts ??= await open()
    parts.metrics.watchRequests(loadShedding.state)
    if (servesWorker(env)) {
      await parts.storage.acquireWorkerLock()
      parts.worker.start()
      parts.photoWorker.start()
      parts.maintenance.start()
    }
    const demo =
      localFiles !== null && internalToken !== null && env.role === 'all'
        ? await localDemo(
            env,
            ports,
            localFiles,
            { internalToken, operatorToken: localOperator?.token ?? null },
            parts,
            log,
          )
        : null
    return { ports, stop, guide: demo === null ? '' : startGuide(demo, env) }
  } catch (error) {
    await stop('START_FAILED')
    throw error
  }
}

/** The internal API listens only on loopback, with any `HOST`. */
function loopbackOf(host: string): string {
  return host === '::1' ? '::1' : '127.0.0.1'
}

/** In local development a listener on loopback serves only loopback names. Otherwise a proxy decides. */
function plainHosts(env: Env, host: string): ServesHost {
  return !env.production && isLoopbackAddress(host) ? loopbackHosts(host) : anyHost
}
