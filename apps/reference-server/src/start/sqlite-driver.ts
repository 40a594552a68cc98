import { createRequire } from 'node:module'
import { StartError } from './start-error.js'

/** First version of Node that aborts when objects of better-sqlite3 12 or older are collected. */
const checkingNode = 24
const soundDriver = 13
/** First version of Node on which that driver runs. On an older one it ends the process without a line. */
const nodeOfSoundDriver = 22

const majorOf = (version: string) => Number.parseInt(version.replace(/^v/, ''), 10)

/** Checks whether Node may abort at any time because of the SQLite driver. */
export function driverMayAbort(nodeVersion: string, driverVersion: string): boolean {
  return majorOf(nodeVersion) >= checkingNode && majorOf(driverVersion) < soundDriver
}

/** @throws StartError `DRIVER_UNUSABLE` when the driver would end the process: it was installed with a newer Node. */
export function checkDriver(nodeVersion: string, driverVersion: string | null): void {
  if (driverVersion === null || majorOf(driverVersion) < soundDriver || majorOf(nodeVersion) >= nodeOfSoundDriver)
    return
  throw new StartError(
    'DRIVER_UNUSABLE',
    'The installed better-sqlite3 needs Node 22 or newer. Start with such a Node, or install again with this one: npm ci',
  )
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
