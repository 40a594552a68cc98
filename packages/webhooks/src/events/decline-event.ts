/**
 * A transaction is declined (docs/contract.md 8.4). Needs the scopes `LIST_PAYMENT` and
 * `LIST_PURCHASES`. A field that may be null may also be absent.
 *
 * The payload has no `eventType`: receivers recognise it by its fields.
 */
export interface TransactionDeclineEvent {
  /** Transaction id, a UUID. */
  readonly transactionId: string
  /** Type of the declined transaction. */
  readonly transactionType: string
  /** Total amount attempted. */
  readonly amount: number
  /** Portion sourced from the service's own balance. */
  readonly fluzAmount: number
  /** Portion sourced from an external funding source. */
  readonly externalFundingAmount: number
  /** ISO currency code. */
  readonly currency: string
  /** Type of the originating record. */
  readonly sourceRecordType?: string | null
  /** Originating record id, a UUID. */
  readonly sourceRecordId?: string | null
  /** Account id, a UUID. */
  readonly accountId?: string | null
  /** User id, a UUID. */
  readonly userId?: string | null
  /** Source of the funds. */
  readonly source?: string | null
  /** Intended destination of the funds. */
  readonly destination?: string | null
  /** Decline status, `DECLINED`. Any string is accepted because the contract does not list its values. */
  readonly status: string
  /** Merchant record id, a UUID. */
  readonly merchantId?: string | null
  /** Descriptor record id, a UUID. */
  readonly descriptorId?: string | null
  /** Liability record id, a UUID. */
  readonly liabilityId?: string | null
  /** Card-issuing vendor name. */
  readonly vendorName?: string | null
  /** Merchant name. */
  readonly merchantName?: string | null
  /** Merchant country. */
  readonly merchantCountry?: string | null
  /** Merchant state. */
  readonly merchantState?: string | null
  /** Merchant city. */
  readonly merchantCity?: string | null
  /** Logo URL. */
  readonly logoUrl?: string | null
  /** Category label. */
  readonly category?: string | null
  /** Last four digits of the card. */
  readonly cardLastFour?: string | null
  /** Display name of the card. */
  readonly cardDisplayName?: string | null
  /** Virtual card id, a UUID. */
  readonly virtualCardId?: string | null
  /** Virtual card program name. */
  readonly virtualCardProgram?: string | null
  /** Originating channel. */
  readonly channel?: string | null
  /** Funding source type. */
  readonly externalFundingSourceType?: string | null
  /** Funding source id. */
  readonly externalFundingSourceId?: string | null
  /** Funding source subtype. */
  readonly fundingSourceSubtype?: string | null
  /** Whether the cash balance was involved. */
  readonly isCashBalanceUsed: boolean
  /** Whether the prepayment balance was involved. */
  readonly isPrepaymentBalanceUsed: boolean
  /** Whether the rewards balance was involved. */
  readonly isRewardsBalanceUsed: boolean
  /** Whether the reserve balance was involved. */
  readonly isReserveBalanceUsed: boolean
  /** ISO 8601 timestamp of the attempt. */
  readonly transactionDateTime: string
  /** Spend account nickname. */
  readonly spendAccountNickname?: string | null
  /** Decline title. */
  readonly declineTitle?: string | null
  /** Decline reason. */
  readonly declineReason?: string | null
  /** Longer explanation of the decline. */
  readonly declineDescription?: string | null
  /** Call-to-action text. */
  readonly declineCtaText?: string | null
  /** Decline category, for example a spend-limit or fraud category. */
  readonly declineCategory?: string | null
  /** Associated offer id, a UUID. */
  readonly offerId?: string | null
  /** Card issuer name. */
  readonly issuer?: string | null
  /** First 6 digits of the card. */
  readonly bin?: string | null
  /** Spend limit amount. */
  readonly limitAmount?: string | null
  /** Spend limit window. */
  readonly limitDuration?: string | null
  /** Whether the card locks on next use. */
  readonly lockOnNextUse?: string | null
  /** Date the card was or will be locked. */
  readonly lockDate?: string | null
  /** Nickname of the linked bank account. */
  readonly bankAccountNickname?: string | null
  /** Last four digits of the linked bank account. */
  readonly bankAccountLastFour?: string | null
  /** Whether the transaction is hidden from the social feed. */
  readonly isPrivate?: boolean | null
}
