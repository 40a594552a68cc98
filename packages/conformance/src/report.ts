import type { CaseOutcome } from './outcome.js'

/**
 * Formats outcomes as a table for people: one line for each case, and what went wrong under it.
 *
 * @example
 * ```ts
 * import { formatTable } from '@kyc-relay/conformance'
 *
 * formatTable([{ id: 'RX-SIGN-1', name: 'A good request MUST be accepted', state: 'passed', detail: null }])
 * ```
 */
export function formatTable(outcomes: readonly CaseOutcome[]): string {
  const width = Math.max(0, ...outcomes.map(({ id }) => id.length))
  const words = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }
  const lines = outcomes.flatMap(({ id, name, state, detail }) => [
    `${words[state]}  ${id.padEnd(width)}  ${name}`,
    ...(detail === null ? [] : [`${' '.repeat(width + 8)}${printable(detail)}`]),
  ])
  const count = (state: CaseOutcome['state']) => outcomes.filter((one) => one.state === state).length
  const sum = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  return [...lines, '', sum].join('\n')
}

/**
 * Formats outcomes as a JUnit XML file, which most CI servers show.
 *
 * @example
 * ```ts
 * import { formatJunit } from '@kyc-relay/conformance'
 *
 * formatJunit('receiver', [{ id: 'RX-SIGN-1', name: 'A good request MUST be accepted', state: 'passed', detail: null }])
 * ```
 */
export function formatJunit(suite: string, outcomes: readonly CaseOutcome[]): string {
  const count = (state: CaseOutcome['state']) => outcomes.filter((one) => one.state === state).length
  const cases = outcomes.map(({ id, name, state, detail }) => {
    const open = `  <testcase classname="${suite}" name="${escaped(`${id} ${name}`)}"`
    if (state === 'passed') return `${open}/>`
    const tag = state === 'failed' ? 'failure' : 'skipped'
    return `${open}><${tag} message="${escaped(detail ?? '')}"/></testcase>`
  })
  const counts = `tests="${outcomes.length}" failures="${count('failed')}" skipped="${count('skipped')}"`
  const opening = `<testsuite name="kyc-conformance ${suite}" ${counts}>`
  return ['<?xml version="1.0" encoding="UTF-8"?>', opening, ...cases, '</testsuite>', ''].join('\n')
}

/** Text of the other side, without what moves the cursor of a terminal. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '�')

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => printable(text).replace(/[&<>"]/g, (one) => entities[one] ?? one)
