import { readFileSync } from 'node:fs'
import path from 'node:path'
import { asListedNow } from './intended-differences.mjs'
import { differences } from './normalise.mjs'
import { caseArguments, cases, dryRun } from './submissions.mjs'

// Both versions judge every row of this version's table of cases in a dry run. A rule that was added since makes them
// differ. Such a row is submitted by no lane: what follows from it would differ too, and hide what should not differ.
// They also judge the rows that only the earlier version's table has, about which this version's table says nothing.

const atOnce = 8

/** What a dry run says, without texts: pointers and codes. Of a refusal before the rules, its codes. */
function said({ status, text }) {
  const body = JSON.parse(text)
  const judged = body.data?.validateKycVerification
  if (judged == null) return { status, codes: (body.errors ?? []).map(({ extensions }) => extensions?.code) }
  const plain = (list) => list.map(({ pointer, code }) => ({ pointer, code }))
  return { violations: plain(judged.violations), warnings: plain(judged.warnings) }
}

const sorted = (list) => list.map((one) => `${one.pointer} ${one.code}`).sort()

/** Whether this version says of a row exactly what its table says. */
export function isAsTabled({ violations, warnings }, answer) {
  if (answer.violations === undefined) return false
  const pairs = [
    [violations, answer.violations],
    [violations.length > 0 ? answer.warnings : warnings, answer.warnings],
  ]
  return pairs.every(([given, found]) => JSON.stringify(sorted(given)) === JSON.stringify(sorted(found)))
}

/** Rows of the table of an earlier checkout that this version's table lacks. */
function earlierCasesOf(checkout) {
  const file = path.join(checkout, 'packages/kyc-core/schema/submission-cases.json')
  const known = new Set(cases.map(({ patch }) => JSON.stringify(patch)))
  return JSON.parse(readFileSync(file, 'utf8')).cases.filter(({ patch }) => !known.has(JSON.stringify(patch)))
}

/**
 * Judges every row on both sides. Answers the rows that both judge alike, how many this version judges by a rule of its
 * own, as its table says, and those that differ otherwise.
 */
export async function compareCases([before, now], earlierCheckout) {
  const steady = []
  const differing = []
  let newRules = 0
  const earlier = new Set(earlierCasesOf(earlierCheckout))
  const all = [...cases, ...earlier].filter(({ policy }) => policy === undefined)
  const queue = [...all]
  const ask = async (side, variables) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${side.demo.users[0].accessToken}` }
    const body = JSON.stringify({ query: dryRun, variables })
    return said(await side.call({ on: 'secure', path: '/api/v1/graphql', method: 'POST', headers, body }))
  }
  async function work() {
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
      const variables = caseArguments(row, `case-${queue.length}`)
      const [was, is] = await Promise.all([before, now].map((side) => ask(side, variables)))
      if (differences(asListedNow(was), is).length === 0) steady.push(row)
      else if (!earlier.has(row) && isAsTabled(row, is)) newRules += 1
      else {
        const kind = earlier.has(row) ? 'earlierCase' : 'case'
        differing.push({ kind, at: `${row.group}: ${row.what}`, before: was, now: is, command: variables })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const position = new Map(all.map((row, number) => [row, number]))
  steady.sort((one, other) => position.get(one) - position.get(other))
  return { steady, newRules, differing }
}
