import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** The packages of this repository that are published, with their folder and parsed package.json. */
export const publishedPackages = readdirSync(path.join(root, 'packages'))
  .sort()
  .map((name) => {
    const folder = path.join(root, 'packages', name)
    return { name, folder, manifest: JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) }
  })
