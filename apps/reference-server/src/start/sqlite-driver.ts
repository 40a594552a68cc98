import { createRequire } from 'node:module'

/** From here on Node checks what better-sqlite3 12 and older do when their objects are collected, and ends the process. */
const checkingNode = 24
const soundDriver = 13

const majorOf = (version: string) => Number.parseInt(version.replace(/^v/, ''), 10)

/** Whether Node may end the process, at any time, for what its SQLite driver does. */
export function driverMayAbort(nodeVersion: string, driverVersion: string): boolean {
  return majorOf(nodeVersion) >= checkingNode && majorOf(driverVersion) < soundDriver
}

/** Version of better-sqlite3 as installed; null where it does not say so. */
export function installedDriverVersion(): string | null {
  try {
    const { version } = createRequire(import.meta.url)('better-sqlite3/package.json') as { readonly version: string }
    return version
  } catch {
    return null
  }
}
