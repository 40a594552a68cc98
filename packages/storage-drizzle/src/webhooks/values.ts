/** Allowed values in columns of events, deliveries and transactions, on both engines. */
export const withheldReasons = ['SCOPE_NOT_GRANTED', 'NO_GRANT', 'NO_ENDPOINT'] as const
export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const
/** Of attempts that have ended. */
export const endedAttemptStates = ['SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT'] as const
export const attemptStates = ['STARTED', ...endedAttemptStates] as const
export const transactionStates = ['PENDING', 'SETTLED', 'DECLINED'] as const
