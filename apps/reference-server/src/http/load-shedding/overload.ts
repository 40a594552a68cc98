/** How often the event loop is looked at. */
export const lagCheckMs = 100

/** So many looks in a row must show the lag: one long pause (garbage, a slow disk) is no overload. */
const standingLooks = 4

/** Measures how late timers run: the time that work waits before it is begun. */
export interface LagMeter {
  /** To be called every {@link lagCheckMs}. */
  look(): void
  /** The smallest lag of the last looks, in milliseconds: a queue that stands, not a spike. 0 until there were enough. */
  standingLagMs(): number
}

/** A lag meter; `nowMs` never runs backwards. */
export function createLagMeter(nowMs: () => number): LagMeter {
  let lookedAtMs = nowMs()
  let lags: number[] = []
  return {
    look() {
      const now = nowMs()
      lags = [...lags.slice(1 - standingLooks), Math.max(0, now - lookedAtMs - lagCheckMs)]
      lookedAtMs = now
    },
    standingLagMs: () => (lags.length < standingLooks ? 0 : Math.min(...lags)),
  }
}

/** A request that was let in. */
export interface Admission {
  /** Its connection may wait behind others once it is answered: not one of probes or people. */
  readonly mayWait: boolean
  /** Its handler has ended: it is no work any more. */
  worked(): void
  /** Its handler has ended, and its answer is with the client or its connection gone. */
  leave(): void
}

/** Admits requests while the process can still serve them in time. */
export interface OverloadGuard {
  /** Null when the request must not be worked on. `isUploading`: whether its body is still on the way. */
  enter(target: string, isUploading: () => boolean): Admission | null
  /**
   * To be called every {@link lagCheckMs}.
   *
   * @param worked Share of the time since the last look that the event loop worked, 0 to 1.
   */
  look(worked: number): void
  /**
   * How many connections that wait may be read again: as many as there is room for, and half as many as were finished
   * since it was asked last, to be refused. A refusal costs about a tenth of what it refuses: that is a twentieth of the time.
   */
  mayRead(): number
  /** Requests that are worked on now, how many may be at once, and requests that are open. */
  state(): { readonly working: number; readonly limit: number; readonly open: number }
}

/** Answered however busy the process is: who asks decides whether it lives. */
const always = new Set(['/healthz', '/readyz', '/metrics'])

/** Places kept for people who want to see what is going on. */
const reservedForPortal = 64

/** Work that may be under way on a busy process, in seconds: it holds up the refusals too, which take their turn with it. */
const worthOfSeconds = 0.05

/**
 * So many at once keep processor and disk busy on any machine: fewer would only lower what is finished. An event loop that
 * is late with fewer waits for a machine that is busy with something else, and refusing would not help.
 */
const leastLimit = 64

/**
 * Limit of a process that has room: what arrives in one moment is not refused, and does not take long either. Those who were refused
 * come back in whole seconds, a crowd at each.
 */
const calmLimit = 512

/** Share of the time that the event loop works above which more requests at once would not finish more of them. */
const busyShare = 0.8

/** Looks that the number of finished requests is averaged over: one second. */
const ratedLooks = 10

/** A body that takes longer to come is its sender's time, not ours. */
const uploadPatienceLooks = 10

/**
 * Refuses work before any of it is done. What is refused early costs microseconds; what times out half done costs all of
 * its work, and is tried again. Four things say that it is enough:
 *
 * - as many requests are worked on as a busy process finishes in a twentieth of a second (Little's law), and at least 64.
 *   Where they wait for something else, a database or a partner's endpoint, the limit is doubled up to `maxInFlight`;
 * - `maxInFlight` requests are open, slow uploads and answers that are not taken included;
 * - the event loop is late by `maxLagMs` for good, while 64 requests are worked on;
 * - the heap is nearly full of what is in use.
 */
export function createOverloadGuard(options: {
  /** Requests open at once, over all listeners of the process, and the highest limit. */
  readonly maxInFlight: number
  /** Default 200. */
  readonly maxLagMs?: number
  readonly lag: Pick<LagMeter, 'standingLagMs'>
  /** Default: never. */
  readonly isHeapFull?: () => boolean
}): OverloadGuard {
  const { maxInFlight, maxLagMs = 200, lag, isHeapFull = () => false } = options
  const uploading = new Map<object, { readonly stillIs: () => boolean; readonly sinceLook: number; setAside(): void }>()
  let open = 0
  let working = 0
  let limit = Math.min(calmLimit, maxInFlight)
  let wasFull = false
  let finished = 0
  let finishedUnread = 0
  let rates: number[] = []
  let looks = 0

  function mayEnter(forPeople: boolean): boolean {
    const reserve = forPeople ? reservedForPortal : 0
    if (working >= limit + reserve) {
      wasFull = true
      return false
    }
    if (!forPeople && working >= limitNow()) return false
    return open < maxInFlight + reserve && !isHeapFull()
  }

  function limitNow(): number {
    return lag.standingLagMs() < maxLagMs ? limit : Math.min(limit, leastLimit)
  }

  function limitOf(worked: number): number {
    if (!wasFull) return calmLimit
    if (worked < busyShare) return limit * 2
    const perSecond = (rates.reduce((sum, one) => sum + one, 0) / rates.length) * (1_000 / lagCheckMs)
    return Math.max(leastLimit, Math.round(perSecond * worthOfSeconds))
  }

  /** While there was room, what was finished is what was asked for, and says nothing about what could be. */
  function adjustLimit(worked: number): void {
    rates = wasFull ? [...rates.slice(1 - ratedLooks), finished] : []
    limit = Math.min(maxInFlight, limitOf(worked))
    finished = 0
    wasFull = false
  }

  return {
    enter(target, isUploading) {
      const query = target.indexOf('?')
      const path = query === -1 ? target : target.slice(0, query)
      const forPeople = path === '/portal' || path.startsWith('/portal/') || path.startsWith('/assets/')
      if (!always.has(path) && !mayEnter(forPeople)) return null
      let counted = true
      let left = false
      const admission = {
        mayWait: !always.has(path) && !forPeople,
        worked() {
          uploading.delete(admission)
          if (!counted) return
          counted = false
          working -= 1
          finished += 1
          finishedUnread += 1
        },
        leave() {
          admission.worked()
          if (left) return
          left = true
          open -= 1
        },
      }
      open += 1
      working += 1
      uploading.set(admission, {
        stillIs: isUploading,
        sinceLook: looks,
        setAside() {
          counted = false
          working -= 1
        },
      })
      return admission
    },
    look(worked) {
      looks += 1
      for (const [admission, { stillIs, sinceLook, setAside }] of uploading) {
        if (!stillIs()) uploading.delete(admission)
        else if (looks - sinceLook > uploadPatienceLooks) {
          uploading.delete(admission)
          setAside()
        }
      }
      adjustLimit(worked)
    },
    mayRead() {
      const room = isHeapFull() ? 0 : Math.max(0, Math.min(limitNow() - working, maxInFlight - open))
      const toRefuse = Math.floor(finishedUnread / 2)
      finishedUnread -= toRefuse * 2
      return room + toRefuse
    },
    state: () => ({ working, limit, open }),
  }
}
