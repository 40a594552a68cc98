import type Database from 'better-sqlite3'
import type { KycStatus } from '@kyc-relay/kyc-core'
import { prepareRows } from '../engine/sqlite/statement.js'

/** Prepares the reads of a user's current status, without the query builder: they run for every submission. */
export function prepareStatusReads(client: Database.Database) {
  return {
    findNewestInLastApp: prepareRows<[userId: string], [appId: string, position: number, status: KycStatus]>(
      client,
      `SELECT app_id, position, next_status FROM kyc_relay_verifications WHERE user_id = ?
      ORDER BY app_id DESC, position DESC LIMIT 1`,
    ),
    findNewestInAppBefore: prepareRows<
      [userId: string, appId: string],
      [appId: string, position: number, status: KycStatus]
    >(
      client,
      `SELECT app_id, position, next_status FROM kyc_relay_verifications WHERE user_id = ? AND app_id < ?
      ORDER BY app_id DESC, position DESC LIMIT 1`,
    ),
    findNewestCorrection: prepareRows<[userId: string], [status: KycStatus, afterVerification: number]>(
      client,
      `SELECT next, after_verification FROM kyc_relay_kyc_status_corrections WHERE user_id = ?
      ORDER BY position DESC LIMIT 1`,
    ),
  }
}

type StatusReads = ReturnType<typeof prepareStatusReads>

/**
 * Finds the user's newest verification, with position 0 if there is none. It searches the newest verification of each
 * app, so it reads one row per app. Most users are new and cost one search.
 */
export function findNewestVerification(statements: StatusReads, userId: string) {
  let newest: { readonly position: number; readonly status: KycStatus } = { position: 0, status: 'UNVERIFIED' }
  let row = statements.findNewestInLastApp.get(userId)
  while (row !== undefined) {
    const [appId, position, status] = row
    if (position > newest.position) newest = { position, status }
    row = statements.findNewestInAppBefore.get(userId, appId)
  }
  return newest
}

/** Reads the status after the user's newest verification, or after a later correction. */
export function findStatus(statements: StatusReads, userId: string): KycStatus {
  const newest = findNewestVerification(statements, userId)
  const correction = statements.findNewestCorrection.get(userId)
  if (correction === undefined) return newest.status
  const [corrected, afterVerification] = correction
  return afterVerification >= newest.position ? corrected : newest.status
}
