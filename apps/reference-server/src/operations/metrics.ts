import { performance } from 'node:perf_hooks'
import type { Ingested } from '@kyc-relay/kyc-core'
import type { DeliveryWorkerObserver, InsertedEvent } from '@kyc-relay/webhooks/internal'
import type { QueueInspection } from '../storage/queue-inspection.js'
import type { FeedStore } from '@kyc-relay/webhooks/delivery'
import type { ProcessedPhoto } from '../photos/process-photo.js'
import { observeDisk } from './disk-metrics.js'
import { withinMs } from './time-limit.js'
import { observeTokenPurge } from './token-purge-metrics.js'
import type { PurgeReport } from './maintenance/purge-orphan-tokens.js'
import type { DiskSpace } from './disk-space/disk-space.js'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of the server. Label values are codes and types, never input. */
export interface Metrics {
  readonly contentType: string
  /**
   * Returns the text of all metrics. It reads the queue now; if that fails or takes longer than 2 s, the gauges of the
   * queue are missing.
   */
  render(): Promise<string>
  /** Runs one submission, counts its outcome and measures its duration. */
  submission(ingest: () => Promise<Ingested>): Promise<Ingested>
  /** Counts a submission whose access token could not be looked up. */
  submissionFailed(): void
  /** Counts a request refused because of overload. */
  requestRefused(): void
  /** Counts a refused credential. */
  authenticationFailed(listener: string, reason: string): void
  /** Registers the gauges of running handlers and open requests. Call it once. */
  watchRequests(state: () => { readonly running: number; readonly open: number }): void
  /** Counts a connection closed because `MAX_CONNECTIONS` was reached. */
  connectionDropped(listener: string): void
  /** Counts a written or withheld event. */
  eventPublished(eventType: string, event: InsertedEvent): void
  /** Counts an endpoint that changed its state. */
  endpointChanged(state: string): void
  readonly worker: Required<Omit<DeliveryWorkerObserver, 'onEndpointHealthChanged'>>
  /** Counts an ended purge of vault tokens. */
  tokensPurged(report: PurgeReport): void
  /** Shows whether the last run of a maintenance task failed. */
  maintenanceEnded(task: string, failed: boolean): void
  readonly photos: {
    /** Counts an ended attempt to fetch a photo. */
    onProcessed(photo: ProcessedPhoto): void
    onProblem(problem: string): void
  }
}

/** Time limit of the read of the queue, in milliseconds: far below that of a scrape, which is 10 s. */
const timeoutMs = 2_000

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates the Prometheus metrics of one server, in a separate registry. */
export function createMetrics(deps: {
  readonly queue: QueueInspection
  readonly feed: Pick<FeedStore, 'measureLag'>
  /** Returns the number of dropped log lines. */
  readonly droppedLogLines: () => number
  readonly disk: Pick<DiskSpace, 'state' | 'isLow' | 'refusals'>
}): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry })

  const submissions = new Counter({
    name: 'kyc_relay_submissions_total',
    help: 'Submissions by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const submissionSeconds = new Histogram({
    name: 'kyc_relay_submission_duration_seconds',
    help: 'Duration from the parsed request to the durable record.',
    buckets: seconds,
    registers,
  })
  const refused = new Counter({
    name: 'kyc_relay_requests_refused_total',
    help: 'Requests refused with 503 because of overload.',
    registers,
  })
  const dropped = new Counter({
    name: 'kyc_relay_connections_dropped_total',
    help: 'Connections closed because MAX_CONNECTIONS was reached.',
    labelNames: ['listener'],
    registers,
  })
  const failedAuthentications = new Counter({
    name: 'kyc_relay_authentication_failures_total',
    help: 'Missing or refused credentials, by listener and reason.',
    labelNames: ['listener', 'reason'],
    registers,
  })
  const events = new Counter({
    name: 'kyc_relay_events_total',
    help: 'Written events by type, without repeated ones.',
    labelNames: ['type'],
    registers,
  })
  const withheld = new Counter({
    name: 'kyc_relay_events_withheld_total',
    help: 'Events without deliveries, by reason.',
    labelNames: ['type', 'reason'],
    registers,
  })
  const attempts = new Counter({
    name: 'kyc_relay_attempts_total',
    help: 'Ended delivery attempts, by state and cause.',
    labelNames: ['state', 'cause'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'kyc_relay_attempt_duration_seconds',
    help: 'Duration of delivery attempts that reached the network.',
    buckets: seconds,
    registers,
  })
  const results = new Counter({
    name: 'kyc_relay_attempt_results_total',
    help: 'Attempt results by outcome of the write. Stale: another worker took the attempt over.',
    labelNames: ['outcome'],
    registers,
  })
  const claimed = new Counter({ name: 'kyc_relay_deliveries_claimed_total', help: 'Deliveries claimed.', registers })
  const takenOver = new Counter({
    name: 'kyc_relay_lease_takeovers_total',
    help: 'Attempts taken over after the lease of their worker ended.',
    registers,
  })
  const endpointChanges = new Counter({
    name: 'kyc_relay_endpoint_state_changes_total',
    help: 'Endpoints that began to fail, succeeded again, were paused or resumed, by their new state.',
    labelNames: ['state'],
    registers,
  })
  const problems = new Counter({
    name: 'kyc_relay_worker_problems_total',
    help: 'Faults of the delivery worker, by code.',
    labelNames: ['problem'],
    registers,
  })
  const photos = new Counter({
    name: 'kyc_relay_photos_total',
    help: 'Attempts to fetch a photo, by the state of the photo afterwards and by cause.',
    labelNames: ['state', 'cause'],
    registers,
  })
  const photoProblems = new Counter({
    name: 'kyc_relay_photo_problems_total',
    help: 'Faults of the photo worker, by code.',
    labelNames: ['problem'],
    registers,
  })
  const queue = {
    waiting: new Gauge({
      name: 'kyc_relay_deliveries_waiting',
      help: 'Deliveries waiting for an attempt, over all processes. Counts at most 100000.',
      registers,
    }),
    inFlight: new Gauge({
      name: 'kyc_relay_deliveries_in_flight',
      help: 'Attempts in flight, over all processes. Counts at most 100000.',
      registers,
    }),
    oldestDue: new Gauge({
      name: 'kyc_relay_oldest_due_delivery_age_seconds',
      help: 'Time since the oldest due delivery became due, or since the oldest lease of an attempt ended. Deliveries behind an attempt in flight to their endpoint do not count.',
      registers,
    }),
    feedLag: new Gauge({
      name: 'kyc_relay_feed_lag_seconds',
      help: 'Time for which the oldest open transaction of the database has held back the feed of events. Absent where the database user may not see it.',
      registers,
    }),
  }
  const queueReadable = new Gauge({
    name: 'kyc_relay_queue_readable',
    help: '1 when the queue could be read for this scrape.',
    registers,
  })
  new Counter({
    name: 'kyc_relay_log_lines_dropped_total',
    help: 'Log lines dropped without a reader.',
    registers,
    collect() {
      this.reset()
      this.inc(deps.droppedLogLines())
    },
  })

  // A rule sees the first increase only of a series that was there before.
  submissions.inc({ outcome: 'ERROR' }, 0)
  for (const listener of ['api', 'internal', 'secure']) dropped.inc({ listener }, 0)

  observeDisk(registers, deps.disk)
  const tokensPurged = observeTokenPurge(registers)
  const maintenanceFailing = new Gauge({
    name: 'kyc_relay_maintenance_failing',
    help: '1 if the last run of a maintenance task failed, by task: the job of its log lines.',
    labelNames: ['task'],
    registers,
  })

  async function submission(ingest: () => Promise<Ingested>): Promise<Ingested> {
    const startedAtMs = performance.now()
    try {
      const ingested = await ingest()
      submissions.inc({ outcome: outcomeOf(ingested) })
      return ingested
    } catch (error) {
      submissions.inc({ outcome: 'ERROR' })
      throw error
    } finally {
      submissionSeconds.observe((performance.now() - startedAtMs) / 1000)
    }
  }

  async function readQueue(): Promise<void> {
    try {
      const [state, lagMs] = await withinMs(timeoutMs, Promise.all([deps.queue.inspectQueue(), deps.feed.measureLag()]))
      queue.waiting.set(state.waiting)
      queue.inFlight.set(state.inFlight)
      queue.oldestDue.set(state.oldestDueMs / 1000)
      // A zero would say that nothing is held back.
      if (lagMs === null) queue.feedLag.remove()
      else queue.feedLag.set(lagMs / 1000)
      queueReadable.set(1)
    } catch {
      // A scrape during an outage must still return the other metrics.
      for (const gauge of Object.values(queue)) gauge.remove()
      queueReadable.set(0)
    }
  }

  return {
    contentType: registry.contentType,
    async render() {
      await readQueue()
      return registry.metrics()
    },
    submission,
    submissionFailed: () => submissions.inc({ outcome: 'ERROR' }),
    requestRefused: () => refused.inc(),
    authenticationFailed: (listener, reason) => failedAuthentications.inc({ listener, reason }),
    watchRequests(state) {
      new Gauge({
        name: 'kyc_relay_requests_in_flight',
        help: 'Requests with a running handler, including this scrape. Uploads longer than 1 s do not count.',
        registers,
        collect() {
          this.set(state().running)
        },
      })
      new Gauge({
        name: 'kyc_relay_requests_unanswered',
        help: 'Requests with a running handler or an unread response, including this scrape.',
        registers,
        collect() {
          this.set(state().open)
        },
      })
    },
    connectionDropped: (listener) => dropped.inc({ listener }),
    eventPublished(type, event) {
      if (event.duplicate) return
      events.inc({ type })
      if (event.withheld !== null) withheld.inc({ type, reason: event.withheld })
    },
    tokensPurged,
    maintenanceEnded: (task, failed) => maintenanceFailing.set({ task }, failed ? 1 : 0),
    endpointChanged: (state) => endpointChanges.inc({ state }),
    worker: {
      onResultWritten({ result, outcome }) {
        const { state, report } = result.attempt
        attempts.inc({ state, cause: report.cause ?? 'NONE' })
        results.inc({ outcome })
        if (report.timings.totalMs !== null) attemptSeconds.observe(report.timings.totalMs / 1000)
      },
      onClaimed(event) {
        ;(event.takenOver ? takenOver : claimed).inc(event.count)
      },
      onProblem: (problem) => problems.inc({ problem }),
    },
    photos: {
      onProcessed: ({ state, cause }) => photos.inc({ state: state ?? 'NONE', cause: cause ?? 'NONE' }),
      onProblem: (problem) => photoProblems.inc({ problem }),
    },
  }
}

function outcomeOf(ingested: Ingested): string {
  if (ingested.kind === 'recorded') return ingested.result.status
  return ingested.kind === 'replayed' ? 'REPLAYED' : ingested.code
}
