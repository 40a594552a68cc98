/** Status of a transaction in `TRANSACTION_CREATE` and `TRANSACTION_UPDATE` (`AllTransactionsStatus`). */
export type TransactionStatus = 'PENDING' | 'SETTLED'

/**
 * Fields of `TRANSACTION_CREATE` and `TRANSACTION_UPDATE` (docs/contract.md
 * 8.3). A field that may be null may also be absent.
 */
interface TransactionEventFields {
  /** Transaction record id, a UUID. */
  readonly recordId: string
  /** User's full name. */
  readonly user: string
  /** Account id, a UUID. */
  readonly accountId: string
  /** User id, a UUID. */
  readonly userId?: string | null
  /** Transaction id, a UUID. */
  readonly transactionId: string
  /** Transaction type. */
  readonly transactionType: string
  /** Amount in USD. */
  readonly amount: number
  /** Initial amount in USD. */
  readonly initialAmount?: number | null
  /** Destination of funds. */
  readonly destination?: string | null
  /** Source of funds. */
  readonly source?: string | null
  /** Amount involving an external funding source. */
  readonly externalFundingSourceActivity?: number | null
  /** Amount involving the service's own balance. */
  readonly fluzBalanceActivity?: number | null
  /** Fee charged. */
  readonly fee?: number | null
  /** Cashback earned. */
  readonly cashback?: number | null
  /** Available gift card prepayment balance after the transaction. */
  readonly giftCardPrepaymentBalanceAvailableBalance?: number | null
  /** Total gift card prepayment balance after the transaction. */
  readonly giftCardPrepaymentBalanceTotalBalance?: number | null
  /** Available cash balance after the transaction. */
  readonly cashBalanceAvailableBalance?: number | null
  /** Total cash balance after the transaction. */
  readonly cashBalanceTotalBalance?: number | null
  /** Available seat (rewards) balance after the transaction. */
  readonly seatBalanceAvailableBalance?: number | null
  /** Total seat (rewards) balance after the transaction. */
  readonly seatBalanceTotalBalance?: number | null
  /** Available reserve balance after the transaction. */
  readonly reserveBalanceAvailableBalance?: number | null
  /** Total reserve balance after the transaction. */
  readonly reserveBalanceTotalBalance?: number | null
  /** Available other cash balance after the transaction. */
  readonly otherCashBalanceAvailableBalance?: number | null
  /** Total other cash balance after the transaction. */
  readonly otherCashBalanceTotalBalance?: number | null
  /** `PENDING` or `SETTLED`. */
  readonly status: TransactionStatus
  /** External or cross-service reference id, a UUID. */
  readonly referenceId?: string | null
  /** Description. */
  readonly description?: string | null
  /** Note, user-provided or system-generated. */
  readonly note?: string | null
  /** Category. */
  readonly category?: string | null
  /** Last four digits of the card. */
  readonly cardLastFour?: string | null
  /** Display name of the card. */
  readonly cardDisplayName?: string | null
  /** Amount in the original currency. */
  readonly originalCurrencyAmount?: number | null
  /** ISO currency code of the original currency. */
  readonly originalCurrencyCode?: string | null
  /** Exchange rate applied. */
  readonly conversionRate?: number | null
  /** Internal merchant id, a UUID. */
  readonly merchantId?: string | null
  /** Merchant name. */
  readonly merchantName?: string | null
  /** Merchant country. */
  readonly merchantCountry?: string | null
  /** Merchant state. */
  readonly merchantState?: string | null
  /** Merchant city. */
  readonly merchantCity?: string | null
  /** Merchant industry. */
  readonly merchantIndustry?: string | null
  /** Merchant category code (MCC). */
  readonly merchantCategoryCode?: number | null
  /** MCC description. */
  readonly merchantCategoryDescription?: string | null
  /** MCC logo URL. */
  readonly merchantCategoryLogoUrl?: string | null
  /** MCC image URL. */
  readonly merchantCategoryImageUrl?: string | null
  /** Descriptor id (enriched merchant data). */
  readonly descriptorId?: string | null
  /** Virtual card id. */
  readonly virtualCardId?: string | null
  /** Virtual card program or provider name. */
  readonly virtualCardProgram?: string | null
  /** Cashback rate. */
  readonly cashbackRate?: number | null
  /** Bonus cashback rate (promo or challenge-based). */
  readonly bonusCashbackRate?: number | null
  /** Originating channel. */
  readonly channel?: string | null
  /** Type of funding source. */
  readonly sourceType?: string | null
  /** Logo URL. */
  readonly logoUrl?: string | null
  /** Logo URL of the platform institution. */
  readonly platformInstitutionLogo?: string | null
  /** Logo URL of the challenge. */
  readonly challengeLogoUrl?: string | null
  /** Invited user's account id (referral transactions), a UUID. */
  readonly invitedAccountId?: string | null
  /** Expected clearing date. */
  readonly expectedClearedDate?: string | null
  /** Associated liability record id, a UUID. */
  readonly liabilityId?: string | null
  /** Whether the gift card balance was affected. */
  readonly isGiftCardBalanceAffected?: boolean | null
  /** Whether the cash balance was affected. */
  readonly isCashBalanceAffected?: boolean | null
  /** Whether the seat (rewards) balance was affected. */
  readonly isSeatBalanceAffected?: boolean | null
  /** Whether the reserve balance was affected. */
  readonly isReserveBalanceAffected?: boolean | null
  /** Whether the system refunded the transaction automatically. */
  readonly isRefundedBySystem?: boolean | null
  /** Related cash balance deposit ids. */
  readonly cashBalanceDepositIds?: readonly (string | null)[] | null
  /** Related deposit ids. */
  readonly depositIds?: readonly (string | null)[] | null
  /** Related withdrawal ids. */
  readonly withdrawIds?: readonly (string | null)[] | null
  /** Related transfer id, a UUID. */
  readonly transferId?: string | null
  /** Connected OAuth application id, a UUID. */
  readonly connectedAppId: string
  /** Connected OAuth application display name. */
  readonly connectedAppName: string
  /** Id of the user cash balance used, a UUID. */
  readonly usedUserCashBalanceId: string
  /** Spend account nickname. */
  readonly spendAccountNickname?: string | null
  /** Whether the transaction is hidden from the social feed. */
  readonly isPrivate?: boolean | null
  /** Creation timestamp, ISO 8601. */
  readonly createdAt: string
  /** Last update timestamp, ISO 8601. */
  readonly updatedAt?: string | null
}

/** A user initiates a transaction. Needs the scopes `LIST_PAYMENT` and `LIST_PURCHASES`. */
export interface TransactionCreateEvent extends TransactionEventFields {
  readonly eventType: 'TRANSACTION_CREATE'
}

/** A transaction is updated, for example from `PENDING` to `SETTLED`. Needs `LIST_PAYMENT` and `LIST_PURCHASES`. */
export interface TransactionUpdateEvent extends TransactionEventFields {
  readonly eventType: 'TRANSACTION_UPDATE'
}
