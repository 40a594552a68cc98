// Installs the better-sqlite3 that fits this Node, without a change of package.json or package-lock.json. The lockfile
// holds version 12, the last for Node 20. Version 13 needs Node 22, and Node 24 can abort on version 12.
import { execSync } from 'node:child_process'
import { createRequire } from 'node:module'

/** Returns the version to install; null if the installed one fits. */
export function driverToInstall(nodeVersion, installedVersion) {
  const majorOf = (version) => Number.parseInt(version, 10)
  return majorOf(nodeVersion) >= 22 && majorOf(installedVersion) < 13 ? '^13' : null
}

function installedVersion() {
  try {
    return createRequire(import.meta.url)('better-sqlite3/package.json').version
  } catch {
    // Not part of this installation, for example with `npm ci -w packages/webhooks`.
    return '13'
  }
}

if (import.meta.filename === process.argv[1]) {
  const version = driverToInstall(process.versions.node, installedVersion())
  if (version !== null) {
    console.log(`Installing better-sqlite3 ${version} for Node ${process.versions.node}`)
    execSync(`npm install --no-save --no-audit --no-fund better-sqlite3@${version}`, { stdio: 'inherit' })
  }
}
