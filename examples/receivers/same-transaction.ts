// The mark and what the event causes are committed together: a crash in between can lose neither, nor do it twice.
import { markProcessed } from '@kyc-relay/storage-drizzle/sqlite'
import { createWebhookHandler } from '@kyc-relay/webhooks'
import type Database from 'better-sqlite3'

/** `database` is yours; `createSqliteDeduplicationStore({ database })` has added the table of processed events to it. */
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
