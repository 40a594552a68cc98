import type { Probes } from './probe-routes.js'
import { withinMs } from './time-limit.js'

/** State of a part of the server. */
export type PartState = 'ok' | 'failing' | 'low' | 'refused'

/** Readiness of the process, with its failing parts. */
export interface Readiness {
  readonly ready: boolean
  readonly parts: Readonly<Record<string, PartState | 'starting' | 'stopping'>>
}

/** Time limit of a check, in milliseconds. */
const timeoutMs = 2_000

/**
 * Checks all parts in parallel. A part that throws, returns false, or takes longer than 2 s is failing. A stopping
 * server is never ready.
 *
 * @param notes Conditions that an operator must see. They are reported but do not affect readiness.
 */
export async function checkReadiness(
  parts: Readonly<Record<string, () => boolean | Promise<unknown>>>,
  isStopping: () => boolean,
  notes: Readonly<Record<string, () => PartState>> = {},
): Promise<Readiness> {
  const checked = await Promise.all(
    Object.entries(parts).map(async ([name, check]): Promise<[string, PartState]> => [name, await stateOf(check)]),
  )
  const told = Object.entries(notes).map(([name, stateNow]): [string, PartState] => [name, stateNow()])
  const states = Object.fromEntries([...checked, ...told])
  const ready = checked.every(([, state]) => state === 'ok') && !isStopping()
  return { ready, parts: isStopping() ? { ...states, server: 'stopping' } : states }
}

async function stateOf(check: () => boolean | Promise<unknown>): Promise<PartState> {
  try {
    return (await withinMs(timeoutMs, Promise.resolve(check()))) === false ? 'failing' : 'ok'
  } catch {
    return 'failing'
  }
}

/** Minimum time between two writes of a readiness check, in milliseconds. */
const checkEveryMs = 1_000

/**
 * Limits an expensive check: it runs at most once a second and never concurrently. Other callers get the latest result.
 *
 * @param nowMs Monotonic clock, in milliseconds.
 */
export function onceASecond(check: () => Promise<unknown>, nowMs: () => number): () => Promise<unknown> {
  let latest: { readonly answer: Promise<unknown>; readonly beganMs: number; ended: boolean } | null = null
  return () => {
    if (latest === null || (latest.ended && nowMs() - latest.beganMs >= checkEveryMs)) {
      const made = { answer: check(), beganMs: nowMs(), ended: false }
      const end = () => void (made.ended = true)
      made.answer.then(end, end)
      latest = made
    }
    return latest.answer
  }
}

/** Creates the readiness of this process for its probes, until `beginStopping` is called. */
export function createReadiness(deps: {
  readonly database: () => Promise<unknown>
  readonly vault: () => Promise<unknown>
  readonly disk: { isLow(): boolean }
  /** Null if the role runs no worker. */
  readonly worker: { isDelivering(): boolean; readonly tokenPurge: { isRefused(): boolean } } | null
  /** Monotonic clock, in milliseconds. */
  readonly nowMs: () => number
}): { readonly probes: Probes; beginStopping(): void } {
  const { disk, worker, nowMs } = deps
  const parts = {
    database: onceASecond(deps.database, nowMs),
    vault: onceASecond(deps.vault, nowMs),
    ...(worker === null ? {} : { worker: () => worker.isDelivering() }),
  }
  const notes = {
    disk: (): PartState => (disk.isLow() ? 'low' : 'ok'),
    ...(worker === null ? {} : { tokenPurge: (): PartState => (worker.tokenPurge.isRefused() ? 'refused' : 'ok') }),
  }
  let stopping = false
  return {
    probes: { readiness: () => checkReadiness(parts, () => stopping, notes) },
    beginStopping() {
      stopping = true
    },
  }
}
