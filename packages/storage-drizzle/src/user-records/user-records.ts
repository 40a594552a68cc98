import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { KnownTransactionState } from '@kyc-relay/webhooks/internal'
import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'

/** A stored event of a user. */
export interface UserEvent {
  readonly eventId: string
  readonly type: PreparedEvent['type']
  readonly occurredAt: Date
  readonly createdAt: Date
  readonly test: boolean
  /** Why the event was not sent; null if it was. */
  readonly withheld: PreparedEvent['withheld']
  /** Bytes as they were stored; null after an erasure or retention has blanked them. */
  readonly body: Uint8Array | null
}

/** A stored transaction of a user. */
export interface UserTransaction {
  readonly transactionId: string
  readonly state: KnownTransactionState
  readonly revision: number
  readonly movedAt: Date
  /** Fields as they were stored; null in a final state, and after an erasure or retention has blanked them. */
  readonly fields: Readonly<Record<string, unknown>> | null
}

/** What gives apps access to a user. */
export interface UserAccess {
  readonly revokedGrants: readonly { readonly appId: string; readonly revokedAt: Date }[]
  /** Access tokens that are stored, also expired ones. */
  readonly accessTokens: readonly {
    readonly appId: string
    readonly scopes: readonly string[]
    readonly expiresAt: Date
  }[]
}

/** One page, oldest first. `next` is the place after its last row; null on the last page. */
export interface UserRecordsPage<Row, Place> {
  readonly items: readonly Row[]
  readonly next: Place | null
}

type PageRequest<Place> = {
  readonly appId: string
  readonly userId: string
  /** Integer 1–200. */
  readonly limit: number
  /** `next` of the previous page. */
  readonly after?: Place
}

/**
 * Right to read everything that is stored about one user outside the vault, for an export. Verifications and grants have
 * their own ports.
 */
export interface UserRecords {
  /** Lists the user's events of an app, also withheld ones. An event that is written meanwhile may be missing. */
  listEvents(page: PageRequest<number>): Promise<UserRecordsPage<UserEvent, number>>
  /** Lists the user's transactions of an app, by id. */
  listTransactions(page: PageRequest<string>): Promise<UserRecordsPage<UserTransaction, string>>
  /** Reads what gives apps access to the user. */
  readAccess(userId: string): Promise<UserAccess>
  /** Records the start or the end of an export in the audit log, if there is one. */
  recordExport(request: {
    readonly userId: string
    readonly exportId: string
    readonly step: 'STARTED' | 'COMPLETED'
    readonly actor?: AuditActor
  }): Promise<void>
}
