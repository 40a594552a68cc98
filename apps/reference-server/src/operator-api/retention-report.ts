import { KycError } from '@kyc-relay/kyc-core'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { ClosedUser } from '@kyc-relay/storage-drizzle/internal'
import type { UserRetention } from '@kyc-relay/storage-drizzle/sqlite'
import { sha256 } from '../sha256.js'
import type { ErasureRefusal, ErasureReport, ErasureRequest } from './erase-user.js'

/** Most users of one report, with and without a legal hold each. */
const mostUsers = 100
/** A report is confirmed soon, or read again. */
const validForMs = 24 * 60 * 60 * 1000

/** The users whose retention time was over at one instant. */
export interface RetentionReport {
  /** Time of the report and a hash of its content. */
  readonly reportId: string
  readonly asOf: Date
  readonly years: number
  /** Accounts closed at this time or before are due. */
  readonly closedUntil: Date
  /** Users to erase, longest closed first. */
  readonly users: readonly ClosedUser[]
  /** Users who are due, but under a legal hold. */
  readonly held: readonly ClosedUser[]
  /** True when more users are due than the report lists. */
  readonly more: boolean
}

/** Dependencies of the report. */
export interface RetentionReportDeps {
  /** Years after the closure of an account; null if the operator has not set them. */
  readonly years: number | null
  readonly userRetention: Pick<UserRetention, 'listClosed' | 'recordConfirmedReport'>
  readonly eraseUser: (request: ErasureRequest) => Promise<ErasureReport | ErasureRefusal>
  readonly now: () => Date
}

/** Result of a confirmed report. */
export interface ConfirmedReport {
  readonly reportId: string
  readonly erased: readonly string[]
  /** Users of the report who came under a legal hold meanwhile, or whose account is open again or was closed later. */
  readonly skipped: readonly { readonly userId: string; readonly reason: 'LEGAL_HOLD' | 'NOT_DUE' }[]
}

/** Goes back a number of years; from 29 February to 28 February. */
export function yearsBefore(at: Date, years: number): Date {
  const before = new Date(at)
  before.setUTCFullYear(at.getUTCFullYear() - years)
  if (before.getUTCMonth() !== at.getUTCMonth()) before.setUTCDate(0)
  return before
}

/** Reads the report of an instant; null if no years are set. */
export async function readRetentionReport(asOf: Date, deps: RetentionReportDeps): Promise<RetentionReport | null> {
  const { years, userRetention } = deps
  if (years === null) return null
  const closedUntil = yearsBefore(asOf, years)
  const limit = mostUsers + 1
  const due = await userRetention.listClosed({ closedUntil, held: false, limit })
  const held = await userRetention.listClosed({ closedUntil, held: true, limit })
  const content = {
    asOf,
    years,
    closedUntil,
    users: due.slice(0, mostUsers),
    held: held.slice(0, mostUsers),
    more: due.length > mostUsers || held.length > mostUsers,
  }
  const hash = sha256(JSON.stringify(content)).toString('hex').slice(0, 32)
  return { reportId: `${asOf.getTime()}-${hash}`, ...content }
}

/**
 * Erases the users of a report, if the same report would be read again for its instant. After a failure half-way the
 * report is outdated: read a new one, which lists the rest.
 *
 * @throws KycError `PHOTO_STORE_UNAVAILABLE` in the end, when photos of some users could not be removed.
 */
export async function confirmRetentionReport(
  { reportId, actor }: { readonly reportId: string; readonly actor: AuditActor },
  deps: RetentionReportDeps,
): Promise<ConfirmedReport | 'off' | 'outdated'> {
  if (deps.years === null) return 'off'
  const asOfMs = Number(/^\d{1,15}(?=-)/.exec(reportId)?.[0])
  const ageMs = deps.now().getTime() - asOfMs
  if (!(ageMs >= 0 && ageMs <= validForMs)) return 'outdated'
  const report = await readRetentionReport(new Date(asOfMs), deps)
  if (report?.reportId !== reportId) return 'outdated'
  await deps.userRetention.recordConfirmedReport({ reportId, actor })
  const erased: string[] = []
  const skipped: ConfirmedReport['skipped'][number][] = []
  let photosLeft: KycError | null = null
  for (const { userId } of report.users) {
    try {
      // Earlier users of the report take time. Meanwhile an account can open again, or come under a hold.
      const outcome = await deps.eraseUser({ userId, closedUntil: report.closedUntil, actor })
      if (typeof outcome !== 'string') erased.push(userId)
      else skipped.push({ userId, reason: outcome === 'held' ? 'LEGAL_HOLD' : 'NOT_DUE' })
    } catch (error) {
      // One user's photos must not hold up the other users.
      if (!(error instanceof KycError) || error.code !== 'PHOTO_STORE_UNAVAILABLE') throw error
      photosLeft = error
    }
  }
  if (photosLeft !== null) throw photosLeft
  return { reportId, erased, skipped }
}
