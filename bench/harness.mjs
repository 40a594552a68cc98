// What every measurement needs: a temporary folder, a local sink, statistics, and the report it writes.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A new temporary folder, removed when the process exits. */
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `local-sink.mjs` in a process of its own; `env` sets how it answers, and whether it speaks TLS. */
export async function startSink(env = {}) {
  const child = fork(fileURLToPath(new URL('./local-sink.mjs', import.meta.url)), { env, execArgv: [] })
  const [{ port }] = await once(child, 'message')
  const origin = env.CERT_FILE === undefined ? 'http://127.0.0.1' : 'https://localhost'
  return { url: `${origin}:${port}`, stop: () => child.kill() }
}

const sorted = (values) => values.toSorted((one, other) => one - other)

/** The middle value; of an even number the upper one of the two. */
export const median = (values) => sorted(values)[Math.floor(values.length / 2)]

/** Median, lowest and highest value. */
export const spread = (values) => ({
  median: median(values),
  lowest: Math.min(...values),
  highest: Math.max(...values),
})

/** A goal of a report: the value has to be at least this. */
export const atLeast = (what, value, least) => ({
  what,
  value,
  reach: `≥ ${least.toLocaleString('en-US')}`,
  isMet: value >= least,
})

/** A goal of a report: the value may be at most this. */
export const atMost = (what, value, most) => ({
  what,
  value,
  reach: `≤ ${most.toLocaleString('en-US')}`,
  isMet: value <= most,
})

/**
 * Processor time of a process and of its children that have ended, so far, in microseconds. NaN where the system does not
 * tell it: it is read from Linux's /proc.
 */
export function processorUs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    const [user, system, ofChildren, systemOfChildren] = fields.slice(11, 15).map(Number)
    return (user + system + ofChildren + systemOfChildren) * 10_000
  } catch {
    return Number.NaN
  }
}

/** Prints one row for each object. `label` names the member that heads the row; numbers are rounded to `digits`. */
export function printTable(rows, label, digits = 1) {
  const rounded = (value) => (typeof value === 'number' ? Number(value.toFixed(digits)) : value)
  const table = rows.map(({ [label]: head, ...row }) => [
    head,
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)])),
  ])
  console.table(Object.fromEntries(table))
}

/** Prints whether each goal is met. */
export function printGoals(goals) {
  for (const { what, reach, isMet } of goals) console.log(`${what} (${reach}): ${isMet ? 'yes' : 'no'}`)
}

/**
 * Writes `results/<name>.json`: what was measured, by which command, when, at which commit and on which machine. The page of
 * `npm run bench -- --report` shows these members of a report:
 *
 * - `rows`: the table; `unit` is that of its numbers
 * - `sizes`: how much was measured, by name
 * - `setup`: how each contender was configured, by name
 * - `goals`: made by `atLeast` and `atMost`
 * - `plots`: `{ name, title, columns }` each, where the columns are numbers of the rows; default: the first number
 */
export function writeReport(name, report) {
  const results = new URL('./results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  const machine = { node: process.version, cpu: os.cpus()[0]?.model ?? '', cores: os.cpus().length }
  const at = new Date().toISOString()
  const command = process.env.BENCH_COMMAND ?? `npm run bench -- ${name}`
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
  const text = JSON.stringify({ name, command, at, commit, machine, ...report }, null, 2)
  writeFileSync(new URL(`${name}.json`, results), `${text}\n`)
}

/**
 * A contender leaves garbage, and work for the disk and the database, which slow the next one. Over as many rounds as
 * there are contenders, each one follows each other one once (E. J. Williams, 1949; nearly so for an odd number).
 */
export function inTurn(list, round) {
  const places = list.map((_, n) => (n % 2 === 1 ? (n + 1) / 2 : (list.length - n / 2) % list.length))
  return places.map((place) => list[(place + round + list.length) % list.length])
}
