import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The program of an npm package, wherever its installer has put it. */
function programOf(packageName: string, ...places: string[]): string {
  const folder = dirname(require.resolve(`${packageName}/package.json`))
  const found = places.map((place) => join(folder, place)).find((place) => existsSync(place))
  if (!found) throw new Error(`The program of ${packageName} is not where it belongs. Run npm ci again.`)
  return found
}

const platform = `${process.platform}-${process.arch}`

/** The programs of the npm packages bun, deno and workerd. */
export const programs = {
  Node: () => process.execPath,
  Bun: () => programOf('bun', 'bin/bun.exe', `../@oven/bun-${platform.replace('arm64', 'aarch64')}/bin/bun`),
  Deno: () => programOf('deno', 'deno', `../@deno/${platform}-glibc/deno`, `../@deno/${platform}/deno`),
  workerd: () => programOf('workerd', 'bin/workerd'),
}
