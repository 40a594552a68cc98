/** Fields that all widget events share (docs/contract.md 8.2). */
interface WidgetEventFields {
  /** The service's user id, a UUID. */
  readonly userId: string
  /** The service's account id, a UUID. */
  readonly accountId: string
  /** The partner application's own user identifier, as supplied in the OAuth flow. */
  readonly externalReferenceId: string
  /** The partner application's id, a UUID. */
  readonly appId: string
}

/** A user starts KYC verification from the widget. Needs the scope `VERIFY_KYC`. */
export interface WidgetKycInitiationEvent extends WidgetEventFields {
  readonly eventType: 'WIDGET_KYC_INITIATION'
}

/** A user successfully sends (deposits) into the application. Needs the scope `MAKE_PAYOUT_SEND`. */
export interface WidgetDepositCompleteEvent extends WidgetEventFields {
  readonly eventType: 'WIDGET_DEPOSIT_COMPLETE'
  /** Amount in USD, for example `100.5`. */
  readonly amount: number
}

/** A user successfully receives (withdraws) from the application. Needs the scope `MAKE_PAYOUT_RECEIVE`. */
export interface WidgetWithdrawCompleteEvent extends WidgetEventFields {
  readonly eventType: 'WIDGET_WITHDRAW_COMPLETE'
  /** Amount in USD, for example `100.5`. */
  readonly amount: number
}
