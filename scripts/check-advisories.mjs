// Asks the registry for known advisories of everything in package-lock.json, and fails for those of level moderate or
// above. Where nobody can be asked (offline, or a registry without advisories) it passes and says so.
import { spawnSync } from 'node:child_process'

const levels = ['moderate', 'high', 'critical']
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
  for (const { name, severity, range } of found) console.error(`${severity}: ${name} ${range}`)
  if (found.length > 0) {
    console.error('npm audit tells more of each.')
    process.exitCode = 1
  }
}
