import type { DeliveryState } from '@kyc-relay/webhooks/internal'

/** A place in a list that is ordered by creation, newest first. */
export interface CreatedPlace {
  readonly createdAt: Date
  readonly position: number
}

/** One user of an app: the identifiers and scopes of the grant. */
export interface AppUserRow {
  readonly userId: string
  readonly accountId: string
  readonly externalReferenceId: string
  readonly scopes: readonly string[]
}

/** One delivery of any app, without its body. */
export interface DeliveryRow extends CreatedPlace {
  readonly deliveryId: string
  readonly appId: string
  readonly endpointId: string
  readonly userId: string
  readonly eventId: string
  readonly xEventId: string
  readonly eventType: string
  readonly state: DeliveryState
  readonly endedAt: Date | null
  readonly cancelReason: string | null
  readonly httpStatus: number | null
  readonly resendOf: string | null
}

/** An event that was not delivered to anyone, with the reason. */
export interface WithheldRow extends CreatedPlace {
  readonly eventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: string
  readonly reason: string
}

/** Deliveries of one endpoint that wait or are in flight. */
export interface EndpointQueue {
  readonly appId: string
  readonly endpointId: string
  /** Counted up to 10,000. */
  readonly waiting: number
  /** Counted up to 10,000. */
  readonly inFlight: number
  /** Earliest time at which a waiting delivery is due; null when none waits. */
  readonly oldestDueAt: Date | null
  readonly paused: boolean
  /** Time since which every attempt failed; null while the endpoint is healthy. */
  readonly failingSince: Date | null
}

/** A transaction with its moves, without its fields. */
export interface TransactionRow {
  readonly transactionId: string
  readonly appId: string
  readonly userId: string
  readonly state: string
  readonly revision: number
  readonly movedAt: Date
  /** In order of their revision. */
  readonly moves: readonly {
    readonly revision: number
    readonly state: string
    readonly eventId: string
    readonly createdAt: Date
  }[]
}

/** Right to read what is stored about all apps, without personal data. `limit` is an integer 1–200. */
export interface OperatorReads {
  /** Lists apps by id. `after`: id of the last app of the previous page. */
  listApps(page: {
    readonly after?: string | undefined
    readonly limit: number
  }): Promise<readonly { readonly appId: string; readonly name: string }[]>
  /** Lists the users with a grant to an app by id. `after`: id of the last user of the previous page. */
  listUsers(page: {
    readonly appId: string
    readonly externalReferenceId?: string | undefined
    readonly after?: string | undefined
    readonly limit: number
  }): Promise<readonly AppUserRow[]>
  /** Lists deliveries of one or all apps, newest first. */
  listDeliveries(page: {
    readonly appId?: string | undefined
    readonly endpointId?: string | undefined
    readonly eventType?: string | undefined
    readonly state?: DeliveryState | undefined
    readonly before?: CreatedPlace | undefined
    readonly limit: number
  }): Promise<readonly DeliveryRow[]>
  /** Lists withheld events of one or all apps, newest first. */
  listWithheld(page: {
    readonly appId?: string | undefined
    readonly before?: CreatedPlace | undefined
    readonly limit: number
  }): Promise<readonly WithheldRow[]>
  /** Lists endpoints with deliveries that wait or are in flight, by app and endpoint id. */
  listQueue(page: {
    readonly appId?: string | undefined
    readonly after?: { readonly appId: string; readonly endpointId: string } | undefined
    readonly limit: number
  }): Promise<readonly EndpointQueue[]>
  /** Finds a transaction by its id; null if unknown. */
  findTransaction(transactionId: string): Promise<TransactionRow | null>
}

/** Counts of one endpoint's queue end here. */
export const mostCounted = 10_000
