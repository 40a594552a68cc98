// The mark and the effect of the event share one commit. A crash cannot lose the effect or repeat it.
import { markProcessed } from '@kyc-relay/storage-drizzle/sqlite'
import { createWebhookHandler } from '@kyc-relay/webhooks'
import type Database from 'better-sqlite3'

/** `database` is your own. `createSqliteDeduplicationStore({ database })` added the table of processed events to it. */
export function createReceiver(database: Database.Database, apiKey: string, onError: (error: unknown) => void) {
  const credit = database.prepare('UPDATE balances SET amount = amount + ? WHERE customer = ?')
  const creditOnce = database.transaction((eventId: string, customer: string, amount: number) => {
    if (markProcessed(database, { eventId })) credit.run(amount, customer)
  })
  return createWebhookHandler({
    secrets: apiKey,
    onEvent: ({ eventId, type, event, test }) => {
      if (test) return
      if (type === 'WIDGET_DEPOSIT_COMPLETE') creditOnce.immediate(eventId, event.externalReferenceId, event.amount)
    },
    onError,
  })
}
