// The thread that a process leaves the checkpoints of its SQLite files to. Asked `{ id, store, path }` it copies what is in
// the WAL of that file into the file, asked without a path it closes what it opened for that store. It answers
// `{ id, code }`: null, or the result code of SQLite.
import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** Passes for one request: each has only what was written during the one before. */
const mostPasses = 4

const connections = new Map()

function connect(path) {
  const client = new Database(path, { fileMustExist: true, timeout: 5_000 })
  try {
    client.pragma('wal_autocheckpoint = 0')
    // Both the WAL, before its pages are copied, and the file, before the WAL begins anew, are synced.
    client.pragma('synchronous = FULL')
    return {
      client,
      measure: client.prepare('PRAGMA wal_checkpoint(NOOP)'),
      copy: client.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
    }
  } catch (error) {
    client.close()
    throw error
  }
}

function checkpoint(store, path) {
  let connection = connections.get(store)
  if (connection === undefined) connections.set(store, (connection = connect(path)))
  const { measure, copy } = connection
  let frames = 0
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const { busy } = copy.get()
    const { log, checkpointed } = measure.get()
    // Fewer frames than before: a writer found everything copied, and began the WAL anew.
    if (busy !== 0 || log === checkpointed || log < frames) return
    frames = log
  }
}

function leave(store) {
  connections.get(store)?.client.close()
  connections.delete(store)
}

parentPort.on('message', ({ id, store, path }) => {
  let code = null
  try {
    if (path === null) leave(store)
    else checkpoint(store, path)
  } catch (error) {
    code = String(error?.code)
  }
  parentPort.postMessage({ id, code })
})
