import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Env } from '../../env.js'
import type { Log } from '../log.js'
import { createDiskSpace, type DiskSpace, type FreeSpace } from './disk-space.js'

const lookEveryMs = 2_000

/** Lists folders on this machine that grow with requests: database files and photos. */
export function watchedFolders(
  env: Pick<Env, 'databaseUrl' | 'vaultDatabaseUrl' | 'photoStorage'>,
): ReadonlyMap<string, string> {
  const folders = new Map<string, string>()
  const { databaseUrl, vaultDatabaseUrl, photoStorage } = env
  if (databaseUrl.startsWith('file:')) folders.set('database', dirname(databaseUrl.slice('file:'.length)))
  if (vaultDatabaseUrl.startsWith('file:')) folders.set('vault', dirname(vaultDatabaseUrl.slice('file:'.length)))
  if (photoStorage.kind === 'directory') folders.set('photos', photoStorage.folder)
  return folders
}

/** Space available to the user of this process, not to root. */
async function measureFolder(folder: string): Promise<FreeSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const wals = (await readdir(folder)).filter((name) => name.endsWith('-wal'))
  const sizes = await Promise.all(wals.map((name) => sizeOf(join(folder, name))))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, walBytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** Returns the size of a file; 0 for one removed meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Checks the disks of this process now and every 2 s, and logs low disk space. */
export async function startDiskWatch(
  env: Parameters<typeof watchedFolders>[0] & Pick<Env, 'diskSpaceLimits'>,
  log: Log,
  measure: (folder: string) => Promise<FreeSpace> = measureFolder,
): Promise<DiskSpace & { stop(): void }> {
  const disk = createDiskSpace({
    folders: watchedFolders(env),
    limits: env.diskSpaceLimits,
    measure,
    onLow: (of, { freeBytes }) => log.error('disk space is low: nothing new is taken', { detail: of, freeBytes }),
    onEnough: (count) => log.info('there is disk space again', { count }),
  })
  await disk.look()
  let isLooking = false
  const looking = setInterval(() => {
    // A hanging file system must not block the thread pool that all files share.
    if (isLooking) return
    isLooking = true
    void disk.look().finally(() => (isLooking = false))
  }, lookEveryMs).unref()
  return { ...disk, stop: () => clearInterval(looking) }
}
