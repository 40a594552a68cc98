import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Finds a path in a folder or the nearest folder above it, because builds place modules at different depths. */
export function findAbove(folder: string, path: string): string | null {
  const candidate = join(folder, path)
  if (existsSync(candidate)) return candidate
  const parent = dirname(folder)
  return parent === folder ? null : findAbove(parent, path)
}
