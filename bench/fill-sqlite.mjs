import { once } from 'node:events'
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** Runs statements on a SQLite file in a thread of its own, so that another database can be filled meanwhile. */
export async function fillSqlite(file, statements) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { file, statements } })
  const [code] = await once(worker, 'exit')
  if (code !== 0) throw new Error(`the database was not filled: ${code}`)
}

if (!isMainThread) {
  const database = new Database(workerData.file)
  database.exec(workerData.statements)
  database.close()
}
