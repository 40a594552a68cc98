// Asks the registry for known advisories of everything in package-lock.json, and fails for those of level moderate or
// above. Where nobody can be asked (offline, or a registry without advisories) it passes and says so.
import { spawnSync } from 'node:child_process'

const levels = ['moderate', 'high', 'critical']

/**
 * Moderate advisories that are printed and do not fail the check. drizzle-kit writes the migrations on a developer's machine
 * and brings esbuild 0.18, whose development server answers any website (GHSA-67mh-4wv8-f99v). Nobody starts that server.
 */
const accepted = new Set(['drizzle-kit', '@esbuild-kit/esm-loader', '@esbuild-kit/core-utils', 'esbuild'])
const asked = spawnSync('npm', ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=20000'], {
  encoding: 'utf8',
  timeout: 60_000,
  maxBuffer: 64 * 1024 * 1024,
})

function parseReport(text) {
  try {
    const report = JSON.parse(text)
    return typeof report.vulnerabilities === 'object' && typeof report.metadata === 'object' ? report : null
  } catch {
    return null
  }
}

const report = parseReport(asked.stdout ?? '')
if (report === null) {
  console.log('NOT CHECKED: the registry gives no advisories here, so nobody was asked about known vulnerabilities.')
} else {
  const found = Object.values(report.vulnerabilities).filter(({ severity }) => levels.includes(severity))
  const isAccepted = ({ name, severity }) => severity === 'moderate' && accepted.has(name)
  for (const advisory of found) {
    const { name, severity, range } = advisory
    console.error(`${isAccepted(advisory) ? 'accepted, ' : ''}${severity}: ${name} ${range}`)
  }
  if (!found.every(isAccepted)) {
    console.error('npm audit tells more of each.')
    process.exitCode = 1
  }
}
