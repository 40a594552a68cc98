import type { AppDirectory } from '../../../src/apps/app-directory.js'
import type { BehindTheStores, Spoil } from '../wrong-storage.js'

/** Replaces some methods of a directory by wrong ones. */
export const spoilt =
  (change: (apps: AppDirectory, behind: BehindTheStores) => Partial<AppDirectory>): Spoil =>
  ({ apps }, behind) => ({ apps: { ...apps, ...change(apps, behind) } })
