import type { AppUser } from '@kyc-relay/kyc-core'

/** Key of a user of an app for maps and sets. No two owners have the same, whatever their ids hold. */
export const ownerKey = ({ appId, userId }: AppUser): string => JSON.stringify([appId, userId])
