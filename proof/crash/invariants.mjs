import { transitionKycStatus } from '@kyc-relay/kyc-core'

/**
 * Compares what the service stored with what it acknowledged. `ask` and `askVault` run one SELECT on the databases of the
 * ended server; `queries` are those that differ between the engines. Returns a sentence for each promise that was broken.
 */
export async function checkInvariants({ ask, askVault, queries, ledger, receiver }) {
  const violations = []
  const found = (...sentences) => violations.push(...sentences)
  await checkSubmissions(ask, ledger, found)
  const transitions = await ask(`
    SELECT user_id, previous_status AS previous, next_status AS next, decision, country_code, result_status
    FROM kyc_relay_verifications ORDER BY position`)
  checkTransitions(transitions, found)
  checkEvents(await ask(queries.events), ledger, found)
  await checkDeliveries(ask, ledger, receiver, found)
  await checkErasures(askVault, ledger, found)
  const running = await ask(`SELECT recovery_id FROM kyc_relay_recoveries WHERE state = 'RUNNING'`)
  for (const { recovery_id: id } of running) found(`recovery ${id} never ended`)
  return violations
}

async function checkSubmissions(ask, ledger, found) {
  const rows = await ask(`SELECT external_verification_id AS id, verification_id, result_status, user_id
    FROM kyc_relay_verifications`)
  const stored = groupById(rows)
  for (const [id, { answer, user }] of ledger.submissions) {
    const mine = stored.get(id) ?? []
    if (mine.length === 0) found(`acknowledged submission ${id} is lost`)
    else if (mine.length > 1) found(`submission ${id} is stored ${mine.length} times`)
    else if (mine[0].verification_id !== answer.verificationId || mine[0].result_status !== answer.status)
      found(`submission ${id} is stored otherwise than it was answered`)
    else if (mine[0].user_id !== user.userId) found(`submission ${id} belongs to another user`)
  }
  for (const id of stored.keys()) if (!ledger.submissions.has(id)) found(`submission ${id} was never sent`)
}

function groupById(rows) {
  const groups = new Map()
  for (const row of rows) groups.set(row.id, [...(groups.get(row.id) ?? []), row])
  return groups
}

/** Recomputes every status from the decisions, in the order they were recorded. */
function checkTransitions(rows, found) {
  const statuses = new Map()
  for (const { user_id: userId, previous, next, decision, country_code: countryCode, result_status: result } of rows) {
    const before = statuses.get(userId) ?? 'UNVERIFIED'
    const right = transitionKycStatus(before, { decision, countryCode })
    if (previous !== before || next !== right.next)
      found(`user ${userId} went from ${previous} to ${next}, not by the table`)
    if (result !== right.outcome) found(`user ${userId} was told ${result} instead of ${right.outcome}`)
    statuses.set(userId, next)
  }
}

function checkEvents(events, ledger, found) {
  const acknowledged = new Map([...ledger.events, ...ledger.transactions])
  const bySource = new Map()
  for (const { event_id: eventId, source_event_id: source } of events) {
    if (source === null) continue
    if (bySource.has(source)) found(`event ${source} is stored twice`)
    bySource.set(source, eventId)
    if (!acknowledged.has(source)) found(`event ${source} was never sent`)
  }
  for (const [source, { answer }] of acknowledged) {
    if (!bySource.has(source)) found(`acknowledged event ${source} is lost`)
    else if (bySource.get(source) !== answer.eventId) found(`event ${source} is stored otherwise than it was answered`)
    if (answer.deliveries.length < ledger.fixedEndpoints.length) found(`event ${source} lacks a delivery that it owed`)
  }
}

async function checkDeliveries(ask, ledger, receiver, found) {
  const rows = await ask(`SELECT delivery_id, x_event_id, user_id, state, attempts_made, cancel_reason
    FROM kyc_relay_deliveries`)
  const byId = new Map(rows.map((row) => [row.delivery_id, row]))
  const attempts = new Map()
  for (const {
    delivery_id: id,
    x_event_id: xEventId,
    user_id: userId,
    state,
    attempts_made: made,
    cancel_reason: reason,
  } of rows) {
    attempts.set(xEventId, (attempts.get(xEventId) ?? 0) + made)
    const seen = receiver.ledger.get(xEventId)
    if (state === 'PENDING') found(`delivery ${id} is stuck`)
    if (made > 5) found(`delivery ${id} had ${made} attempts`)
    if (state === 'FAILED' && made !== 5) found(`delivery ${id} failed after ${made} attempts`)
    if (state === 'DELIVERED' && (seen?.accepted ?? 0) === 0)
      found(`delivery ${id} is DELIVERED, and nobody accepted it`)
    const mayBeCancelled = reason === 'ENDPOINT_REMOVED' || ledger.erased.has(userId)
    if (state === 'CANCELLED' && !mayBeCancelled) found(`delivery ${id} was cancelled: ${reason}`)
  }
  for (const [source, { answer }] of [...ledger.events, ...ledger.transactions]) {
    for (const { deliveryId } of answer.deliveries)
      if (!byId.has(deliveryId)) found(`delivery ${deliveryId} of the acknowledged event ${source} is lost`)
  }
  // An open attempt that a kill ended counts, because it may have reached the receiver. So no post is without one.
  for (const [xEventId, { posts }] of receiver.ledger) {
    const most = attempts.get(xEventId) ?? 0
    if (posts > most) found(`X-Event-ID ${xEventId} was posted ${posts} times in ${most} attempts`)
  }
}

async function checkErasures(askVault, ledger, found) {
  const rows = await askVault(
    `SELECT user_id FROM kyc_relay_vault_tokens UNION SELECT user_id FROM kyc_relay_vault_data_keys`,
  )
  for (const { user_id: userId } of rows)
    if (ledger.erased.has(userId)) found(`values of the erased user ${userId} are still in the vault`)
}
