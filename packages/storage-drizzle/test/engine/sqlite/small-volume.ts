import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A file system of its own for one test: in memory, and as small as asked. */
export interface SmallVolume {
  readonly folder: string
  freeBytes(): number
  /** Fills what is left but so many bytes with a file of somebody else. */
  fill(leaveBytes?: number): void
  /** Removes that file. */
  makeRoom(): void
}

function mount(folder: string, megabytes: number): boolean {
  const size = `size=${megabytes}m`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status === 0
}

/** Whether this process may mount: root on Linux, outside most containers. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-mount-'))
  const isMounted = mount(folder, 1)
  if (isMounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return isMounted
}

export function smallVolume(megabytes: number): SmallVolume {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-volume-'))
  if (!mount(folder, megabytes)) throw new Error('not mounted')
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  const ballast = join(folder, 'ballast')
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    freeBytes,
    fill(leaveBytes = 0) {
      const file = openSync(ballast, 'a')
      const block = Buffer.alloc(4_096, 1)
      try {
        for (let left = freeBytes() - leaveBytes; left >= block.length; left -= block.length) writeSync(file, block)
      } catch (error) {
        // Whoever else writes there took it first.
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(ballast),
  }
}
