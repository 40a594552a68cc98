/** Free space of a file system for this process. */
export interface FreeSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Size of the WALs of SQLite: their content can make the database files grow by as much. */
  readonly walBytes?: number
}

/** Limits of low disk space. Space is low only when both limits are crossed, to suit large and small disks. */
export interface DiskSpaceLimits {
  /** Share of the whole file system; 0 disables the check. */
  readonly minFreePercent: number
  /** Free bytes; 0 disables the check. */
  readonly minFreeBytes: number
}

/** Error for low disk space: a request that would use more was refused. The client can retry. */
export class DiskSpaceError extends Error {
  readonly code = 'DISK_SPACE_LOW'
  readonly retryable = true
  constructor() {
    super('Too little disk space is left.')
    this.name = 'DiskSpaceError'
  }
}

/** Factor of the limit that must be free before requests are accepted again, to avoid frequent changes. */
const enoughAgain = 1.1

/** The WALs of two databases are checkpointed when each reaches an eighth of the free space. */
const mostWalShare = 1 / 4

/** Checks whether disk space is low; never for a file system without a size. `wasLow`: the previous result. */
export function isSpaceLow(
  { freeBytes, totalBytes, walBytes = 0 }: FreeSpace,
  { minFreePercent, minFreeBytes }: DiskSpaceLimits,
  wasLow: boolean,
): boolean {
  const times = wasLow ? enoughAgain : 1
  const leftBytes = freeBytes - Math.min(walBytes, freeBytes * mostWalShare)
  return leftBytes < minFreeBytes * times && (leftBytes / totalBytes) * 100 < minFreePercent * times
}

/** Checks the free space of the folders of this process. */
export interface DiskSpace {
  /** Measures every folder once. A folder that cannot be measured keeps its previous result. */
  look(): Promise<void>
  isLow(): boolean
  /** Last measurements, by content of the folder. */
  state(): ReadonlyMap<string, FreeSpace>
  /** Number of refusals because of low disk space. */
  refusals(): number
  /**
   * Call before any growth of files.
   *
   * @throws DiskSpaceError while disk space is low.
   */
  requireSpace(): void
}

/**
 * Creates the check of disk space. Before the first measurement, no folder is low.
 *
 * @param options `onLow` and `onEnough` are called once at each change.
 */
export function createDiskSpace(options: {
  /** Folders by content. */
  readonly folders: ReadonlyMap<string, string>
  readonly limits: DiskSpaceLimits
  readonly measure: (folder: string) => Promise<FreeSpace>
  /** `of`: the first low folder. */
  readonly onLow?: (of: string, space: FreeSpace) => void
  /** `refused`: number of refusals while space was low. */
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
