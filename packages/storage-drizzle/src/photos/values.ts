/** Allowed values in columns of photo jobs, on both engines. */
export const photoSides = ['front', 'back', 'selfie'] as const
export const photoJobStates = ['PENDING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED'] as const
