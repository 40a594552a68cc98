const endedDelivery = `(SELECT min(position) FROM kyc_relay_deliveries WHERE state <> 'PENDING')`
const dueNow = `UPDATE kyc_relay_endpoint_schedules SET next_due_at = now() WHERE NOT paused`

/**
 * Known bugs that the campaign must catch, each by the promise that it breaks. `faults` limits it to the faults that meet the
 * bug. `configure` changes the database at first, `damage` after each fault, as the bug would have left it.
 */
export const sabotages = {
  'commits-are-not-synced': {
    what: 'the database answers a commit before it is in the write-ahead log',
    breaks: /^acknowledged .* is lost/,
    faults: ['shutdown'],
    // The server refuses such a database when it starts. Here the setting changes while it runs.
    configure: ['ALTER SYSTEM SET synchronous_commit = off', 'SELECT pg_reload_conf()'],
  },
  'attempt-not-counted': {
    what: 'an attempt that a kill ended gives its number back',
    breaks: /was posted \d+ times in \d+ attempts/,
    faults: ['kill'],
    damage: [
      `UPDATE kyc_relay_delivery_queue SET attempts_made = attempts_made - 1, lease_token = NULL, lease_until = NULL,
        started_at = NULL, due_at = now() WHERE lease_token IS NOT NULL`,
      dueNow,
    ],
  },
  'interrupted-is-delivered': {
    what: 'a delivery whose attempt a kill ended counts as delivered',
    breaks: /is DELIVERED, and nobody accepted it/,
    faults: ['kill'],
    damage: [
      `UPDATE kyc_relay_deliveries SET state = 'DELIVERED', ended_at = now(), attempts_made = 1 WHERE position IN
        (SELECT position FROM kyc_relay_delivery_queue WHERE lease_token IS NOT NULL)`,
      `DELETE FROM kyc_relay_delivery_queue WHERE lease_token IS NOT NULL`,
      dueNow,
    ],
  },
  'delivery-not-written': {
    what: 'an event is written without one of its deliveries',
    breaks: /^delivery .* of the acknowledged event .* is lost/,
    faults: ['kill'],
    damage: [
      `DELETE FROM kyc_relay_attempts USING kyc_relay_deliveries d WHERE d.position = ${endedDelivery}
        AND kyc_relay_attempts.delivery_id = d.delivery_id`,
      `DELETE FROM kyc_relay_deliveries WHERE position = ${endedDelivery}`,
    ],
  },
  'status-changes-twice': {
    what: 'a second passed submission changes the status again',
    breaks: /not by the table/,
    faults: ['kill'],
    damage: [
      `UPDATE kyc_relay_verifications SET previous_status = 'UNVERIFIED', next_status = 'PASS_INTERNATIONAL'
        WHERE position = (SELECT max(position) FROM kyc_relay_verifications WHERE previous_status <> 'UNVERIFIED')`,
    ],
  },
}
