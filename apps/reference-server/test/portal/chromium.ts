import { accessSync, constants } from 'node:fs'

/** Arguments that keep a Chromium to itself: no network of its own, no first-run pages. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Path of a Chromium of this machine: `CHROMIUM_PATH`, or where systems put it. Null when there is none. */
export function findChromium(): string | null {
  const candidates = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  for (const path of candidates) {
    if (path === undefined) continue
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // The next one.
    }
  }
  return null
}
