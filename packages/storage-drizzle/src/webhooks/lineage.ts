import { unnamedTypes } from './values.js'

/** A live endpoint of a lineage, which is all endpoints of an app with one URL. `eventTypes` is JSON; null for the standard types. */
interface Member {
  readonly eventTypes: string | null
}

/** Why a delivery ends: its endpoint is removed, and no live endpoint of its lineage takes its type. */
export type GoneReason = 'ENDPOINT_REMOVED' | 'TYPE_NOT_SUBSCRIBED'

/**
 * Returns the heir: the newest live endpoint of a lineage that takes a type. It gets the waiting deliveries of a removed
 * endpoint. @param members Oldest first.
 */
export function heirOf<One extends Member>(members: readonly One[], type: string): One | undefined {
  return members.findLast(({ eventTypes }) =>
    eventTypes === null ? unnamedTypes.includes(type) : (JSON.parse(eventTypes) as readonly string[]).includes(type),
  )
}

/** Returns why a delivery without an heir ends. */
export const goneReason = (members: readonly Member[]): GoneReason =>
  members.length === 0 ? 'ENDPOINT_REMOVED' : 'TYPE_NOT_SUBSCRIBED'
