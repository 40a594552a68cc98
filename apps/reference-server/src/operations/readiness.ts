import type { Probes } from './probe-routes.js'

/** What a part of the server says about itself. */
export type PartState = 'ok' | 'failing' | 'low' | 'refused'

/** Whether the process should get work now, and which part says no. */
export interface Readiness {
  readonly ready: boolean
  readonly parts: Readonly<Record<string, PartState | 'starting' | 'stopping'>>
}

/** So long may a part take to answer. */
const patienceMs = 2_000

/**
 * Asks every part at once. A part that throws, answers false, or takes longer than 2 s is failing; a server that is
 * stopping is not ready whatever its parts say.
 *
 * @param notes What an operator must see although the process can work: told, and no reason for it to get no work.
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
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs)
  })
  try {
    return (await Promise.race([check(), late])) === false ? 'failing' : 'ok'
  } catch {
    return 'failing'
  } finally {
    clearTimeout(timer)
  }
}

/** Least time between two writes of a readiness check, in milliseconds. */
const checkEveryMs = 1_000

/**
 * Makes a check that costs something safe to ask for by anybody: it is made at most once a second and never twice at
 * once, and whoever asks meanwhile gets the answer of the latest.
 *
 * @param nowMs Milliseconds that never run backwards.
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

/** Readiness of this process, as its probes answer it, until `beginStopping` is called. */
export function createReadiness(deps: {
  readonly database: () => Promise<unknown>
  readonly vault: () => Promise<unknown>
  readonly disk: { isLow(): boolean }
  /** Null where the role runs no worker. */
  readonly worker: { isDelivering(): boolean; readonly tokenPurge: { isRefused(): boolean } } | null
  /** Milliseconds that never run backwards. */
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
