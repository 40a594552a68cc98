import type { Token, TokenizedValue } from '@kyc-relay/kyc-core'
import type { PiiVault } from '@kyc-relay/kyc-core/testing'
import type { InsideVault } from '../../testing/memory-vault-harness.js'

/** Makes one handle wrong. */
export type Wrong = (vault: PiiVault, inside: InsideVault) => PiiVault

/** A mistake, a case that catches it, and the vault that makes it. */
export type WrongVault = readonly [what: string, caughtBy: string, make: () => Wrong]

/** What a wrong vault remembers over its handles; made afresh for every case. */
export function remembering(make: (memory: Map<string, unknown>) => Wrong): () => Wrong {
  return () => make(new Map())
}

export const plainly =
  (wrong: Wrong): (() => Wrong) =>
  () =>
    wrong

export const tokensOf = (answers: readonly TokenizedValue[]): Token[] =>
  answers.flatMap((answer) => (answer.kind === 'record' ? [] : [answer.token]))

/** The names of owners, for maps. */
export const nameOf = ({ appId, userId }: { readonly appId: string; readonly userId: string }): string =>
  JSON.stringify([appId, userId])

/** Lets the callers of one turn come together. */
export const tick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Answers the concurrent calls of one kind in another order: each gets the answer of another caller. */
export function crossing<T>(): (work: () => Promise<T>) => Promise<T> {
  let company: (() => Promise<T>)[] = []
  let answers: Promise<T>[] | undefined
  return async (work) => {
    const place = company.push(work) - 1
    await tick()
    answers ??= company.map((each) => each())
    const mine = answers.at(-1 - place) as Promise<T>
    await Promise.allSettled(answers)
    company = []
    answers = undefined
    return mine
  }
}
