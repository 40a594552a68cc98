import { unnamedTypes } from './values.js'

/** An endpoint of a lineage. `eventTypes` is a JSON array; null for the six. */
interface Member {
  readonly eventTypes: string | null
}

/** Why a delivery cannot go on: its endpoint is gone, and none of its lineage takes it. */
export type GoneReason = 'ENDPOINT_REMOVED' | 'TYPE_NOT_SUBSCRIBED'

/** Returns the newest endpoint of a lineage that takes a type. @param members Oldest first. */
export function heirOf<One extends Member>(members: readonly One[], type: string): One | undefined {
  return members.findLast(({ eventTypes }) =>
    eventTypes === null ? unnamedTypes.includes(type) : (JSON.parse(eventTypes) as readonly string[]).includes(type),
  )
}

/** Returns why a delivery without an heir ends. */
export const goneReason = (members: readonly Member[]): GoneReason =>
  members.length === 0 ? 'ENDPOINT_REMOVED' : 'TYPE_NOT_SUBSCRIBED'
