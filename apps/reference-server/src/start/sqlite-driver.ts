import { createRequire } from 'node:module'

/** First version of Node that aborts when objects of better-sqlite3 12 or older are collected. */
const checkingNode = 24
const soundDriver = 13

const majorOf = (version: string) => Number.parseInt(version.replace(/^v/, ''), 10)

/** Checks whether Node may abort at any time because of the SQLite driver. */
export function driverMayAbort(nodeVersion: string, driverVersion: string): boolean {
  return majorOf(nodeVersion) >= checkingNode && majorOf(driverVersion) < soundDriver
}

/** Reads the installed version of better-sqlite3; null if unknown. */
export function installedDriverVersion(): string | null {
  try {
    const { version } = createRequire(import.meta.url)('better-sqlite3/package.json') as { readonly version: string }
    return version
  } catch {
    return null
  }
}
