/** What a file system has left for this process. */
export interface FreeSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Size of the WALs of SQLite: what they hold can make the database files grow as much. */
  readonly walBytes?: number
}

/** How little may be left. Both must be gone below: a large disk may be nearly full, a small one nearly as small. */
export interface DiskSpaceLimits {
  /** Of the whole file system; 0: nothing is ever refused. */
  readonly minFreePercent: number
  /** 0: nothing is ever refused. */
  readonly minFreeBytes: number
}

/** Too little is left for what strangers can make grow. What it was for can be asked again. */
export class DiskSpaceError extends Error {
  readonly code = 'DISK_SPACE_LOW'
  readonly retryable = true
  constructor() {
    super('Too little disk space is left.')
    this.name = 'DiskSpaceError'
  }
}

/** So much more than the limit must be free before it counts as enough again: what is refused stays refused for a while. */
const enoughAgain = 1.1

/** The WALs of two databases are checkpointed once each has an eighth of what is free. */
const mostWalShare = 1 / 4

/** Whether so little is left that nothing may grow; never where a file system tells no size. `wasLow`: what was said before. */
export function isSpaceLow(
  { freeBytes, totalBytes, walBytes = 0 }: FreeSpace,
  { minFreePercent, minFreeBytes }: DiskSpaceLimits,
  wasLow: boolean,
): boolean {
  const times = wasLow ? enoughAgain : 1
  const leftBytes = freeBytes - Math.min(walBytes, freeBytes * mostWalShare)
  return leftBytes < minFreeBytes * times && (leftBytes / totalBytes) * 100 < minFreePercent * times
}

/** The folders that this process fills, and whether they may be filled further. */
export interface DiskSpace {
  /** Measures every folder once. One that cannot be measured counts as it did before. */
  look(): Promise<void>
  isLow(): boolean
  /** What was measured last, by what the folder holds. */
  state(): ReadonlyMap<string, FreeSpace>
  /** How often something was refused for it. */
  refusals(): number
  /** @throws DiskSpaceError while too little is left. Called before anything that makes files grow. */
  requireSpace(): void
}

/**
 * Checks disk space. It begins with nothing measured and nothing low.
 *
 * @param options `onLow` and `onEnough` are called once at each change.
 */
export function createDiskSpace(options: {
  /** By what they hold. */
  readonly folders: ReadonlyMap<string, string>
  readonly limits: DiskSpaceLimits
  readonly measure: (folder: string) => Promise<FreeSpace>
  /** `of`: the first that is low. */
  readonly onLow?: (of: string, space: FreeSpace) => void
  /** `refused`: how often something was refused since it was low. */
  readonly onEnough?: (refused: number) => void
}): DiskSpace {
  const { folders, limits, measure } = options
  const measured = new Map<string, FreeSpace>()
  const low = new Set<string>()
  let refused = 0
  let refusedBefore = 0

  async function lookAt(of: string, folder: string): Promise<void> {
    try {
      const space = await measure(folder)
      measured.set(of, space)
      if (isSpaceLow(space, limits, low.has(of))) low.add(of)
      else low.delete(of)
    } catch {
      measured.delete(of)
    }
  }

  function requireSpace(): void {
    if (low.size === 0) return
    refused += 1
    throw new DiskSpaceError()
  }

  return {
    async look() {
      const wasLow = low.size > 0
      await Promise.all([...folders].map(([of, folder]) => lookAt(of, folder)))
      const first = [...folders.keys()].find((of) => low.has(of))
      if (!wasLow && first !== undefined) {
        refusedBefore = refused
        const space = measured.get(first)
        if (space !== undefined) options.onLow?.(first, space)
      } else if (wasLow && first === undefined) options.onEnough?.(refused - refusedBefore)
    },
    isLow: () => low.size > 0,
    state: () => measured,
    refusals: () => refused,
    requireSpace,
  }
}
