import type * as z from 'zod'
import { transactionDeclineSchema } from './decline-schema.js'
import { eventExamples } from './event-examples.js'
import { eventScopes, type EventScope } from './event-scopes.js'
import type { EventType } from './event-types.js'
import { kycStatusChangedSchema } from './kyc-status-schema.js'
import { transactionCreateSchema, transactionUpdateSchema } from './transaction-schemas.js'
import type { EventPayloads } from './webhook-event.js'
import {
  widgetDepositCompleteSchema,
  widgetKycInitiationSchema,
  widgetWithdrawCompleteSchema,
} from './widget-schemas.js'

/** Description of one event type. */
export interface CatalogueEntry<Type extends EventType> {
  readonly type: Type
  /** Scopes that the user must have granted. */
  readonly scopes: readonly EventScope[]
  /** Strict schema: refuses unknown fields. */
  readonly schema: z.ZodType<EventPayloads[Type]>
  readonly example: EventPayloads[Type]
}

function entry<Type extends EventType>(type: Type, schema: z.ZodType<EventPayloads[Type]>): CatalogueEntry<Type> {
  return { type, scopes: eventScopes[type], schema, example: eventExamples[type] }
}

/** The event types: type → scopes → schema → example (docs/contract.md 8.1). */
export const eventCatalogue: { readonly [Type in EventType]: CatalogueEntry<Type> } = {
  WIDGET_KYC_INITIATION: entry('WIDGET_KYC_INITIATION', widgetKycInitiationSchema),
  WIDGET_DEPOSIT_COMPLETE: entry('WIDGET_DEPOSIT_COMPLETE', widgetDepositCompleteSchema),
  WIDGET_WITHDRAW_COMPLETE: entry('WIDGET_WITHDRAW_COMPLETE', widgetWithdrawCompleteSchema),
  TRANSACTION_CREATE: entry('TRANSACTION_CREATE', transactionCreateSchema),
  TRANSACTION_UPDATE: entry('TRANSACTION_UPDATE', transactionUpdateSchema),
  TRANSACTION_DECLINE: entry('TRANSACTION_DECLINE', transactionDeclineSchema),
  KYC_STATUS_CHANGED: entry('KYC_STATUS_CHANGED', kycStatusChangedSchema),
}
