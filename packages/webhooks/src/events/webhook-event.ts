import type { TransactionDeclineEvent } from './decline-event.js'
import type { KycStatusChangedEvent } from './kyc-status-event.js'
import type { TransactionCreateEvent, TransactionUpdateEvent } from './transaction-events.js'
import type {
  WidgetDepositCompleteEvent,
  WidgetKycInitiationEvent,
  WidgetWithdrawCompleteEvent,
} from './widget-events.js'

/** The payload of each event type. */
export interface EventPayloads {
  readonly WIDGET_KYC_INITIATION: WidgetKycInitiationEvent
  readonly WIDGET_DEPOSIT_COMPLETE: WidgetDepositCompleteEvent
  readonly WIDGET_WITHDRAW_COMPLETE: WidgetWithdrawCompleteEvent
  readonly TRANSACTION_CREATE: TransactionCreateEvent
  readonly TRANSACTION_UPDATE: TransactionUpdateEvent
  readonly TRANSACTION_DECLINE: TransactionDeclineEvent
  readonly KYC_STATUS_CHANGED: KycStatusChangedEvent
}

/** A JSON object of an event type that this version of the package does not know. */
export type UnknownEvent = Readonly<Record<string, unknown>>

/** A payload of any event type, later ones included. */
export type WebhookEvent = EventPayloads[keyof EventPayloads] | UnknownEvent
