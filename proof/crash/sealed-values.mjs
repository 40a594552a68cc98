/** Has the running server open every sealed number that it stored. Returns a sentence for each that it cannot open. */
export async function revealAll({ clients: { app, ledger, insist, internal }, ask }) {
  const rows = await ask(`SELECT DISTINCT user_id, ssn_token FROM kyc_relay_verifications WHERE ssn_token IS NOT NULL`)
  const violations = []
  for (const { user_id: userId, ssn_token: token } of rows) {
    if (ledger.erased.has(userId)) continue
    const body = { appId: app.appId, userId, token, actor: 'auditor', purpose: 'proof' }
    const { status } = await insist(internal('POST', '/vault/reveal', body))
    if (status !== 200) violations.push(`the token of a stored submission does not open: ${status}`)
  }
  return violations
}
