import { fileURLToPath } from 'node:url'

const openAttempts = 'SELECT position FROM kyc_relay_deliveries WHERE lease_token IS NOT NULL'
const freeSlots = `UPDATE kyc_relay_endpoint_schedules AS s SET in_flight = 0,
  next_due_at = (SELECT min(coalesce(d.due_at, d.created_at)) FROM kyc_relay_deliveries d
    WHERE d.endpoint = s.endpoint AND d.state = 'PENDING')`

/**
 * Known bugs that the campaign must catch, each by the promise that it breaks. `preload` changes the server. `damage`
 * changes the database after a kill, as the bug would have left it.
 */
export const sabotages = {
  'answer-before-commit': {
    what: 'the client has its answer up to 200 ms before the commit',
    breaks: /^acknowledged .* is lost/,
    preload: fileURLToPath(new URL('./answer-before-commit.cjs', import.meta.url)),
    // The server notices lost commits by its count of them. The ledgers must notice without that.
    forgetCommits: true,
  },
  'attempt-not-counted': {
    what: 'an attempt that a kill ended gives its number back',
    breaks: /was posted \d+ times in \d+ attempts/,
    damage: [
      `DELETE FROM kyc_relay_attempts WHERE state = 'STARTED' AND delivery IN (${openAttempts})`,
      `UPDATE kyc_relay_deliveries SET attempts_made = attempts_made - 1, lease_token = NULL, lease_until = NULL,
        due_at = created_at WHERE lease_token IS NOT NULL`,
      freeSlots,
    ],
  },
  'interrupted-is-delivered': {
    what: 'a delivery whose attempt a kill ended counts as delivered',
    breaks: /is DELIVERED, and nobody accepted it/,
    damage: [
      `UPDATE kyc_relay_deliveries SET state = 'DELIVERED', ended_at = created_at, due_at = NULL, lease_token = NULL,
        lease_until = NULL WHERE lease_token IS NOT NULL`,
      freeSlots,
    ],
  },
  'delivery-not-written': {
    what: 'an event is written without one of its deliveries',
    breaks: /^delivery .* of the acknowledged event .* is lost/,
    damage: [
      `DELETE FROM kyc_relay_attempts WHERE delivery = (SELECT min(position) FROM kyc_relay_deliveries WHERE state <> 'PENDING')`,
      `DELETE FROM kyc_relay_deliveries WHERE position = (SELECT min(position) FROM kyc_relay_deliveries WHERE state <> 'PENDING')`,
    ],
  },
  'status-changes-twice': {
    what: 'a second passed submission changes the status again',
    breaks: /not by the table/,
    damage: [
      `UPDATE kyc_relay_verifications SET previous_status = 'UNVERIFIED', next_status = 'PASS_INTERNATIONAL'
        WHERE position = (SELECT max(position) FROM kyc_relay_verifications WHERE previous_status <> 'UNVERIFIED')`,
    ],
  },
}
