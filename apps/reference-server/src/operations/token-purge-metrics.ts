import { Counter, Gauge, type Registry } from 'prom-client'
import type { PurgeRefusal, PurgeReport } from './maintenance/purge-orphan-tokens.js'

const refusals: readonly PurgeRefusal[] = [
  'BUSINESS_DATABASE_EMPTY',
  'BUSINESS_DATABASE_BEHIND',
  'CHECKPOINTS_UNREADABLE',
  'SHARE_IMPLAUSIBLE',
]

/** Registers the metrics of the purge of orphan tokens, with the reason of a refusal. */
export function observeTokenPurge(registers: Registry[]): (report: PurgeReport) => void {
  const purged = new Counter({
    name: 'kyc_relay_purged_tokens_total',
    help: 'Vault tokens quarantined, restored from quarantine, or destroyed after it.',
    labelNames: ['action'],
    registers,
  })
  const refused = new Gauge({
    name: 'kyc_relay_token_purge_refused',
    help: '1 while the purge of vault tokens refuses to run, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const show = (refusal: PurgeRefusal | null) => {
    for (const reason of refusals) refused.set({ reason }, reason === refusal ? 1 : 0)
  }
  show(null)
  return ({ quarantined, restored, destroyed, refusal }) => {
    purged.inc({ action: 'quarantined' }, quarantined)
    purged.inc({ action: 'restored' }, restored)
    purged.inc({ action: 'destroyed' }, destroyed)
    show(refusal)
  }
}
