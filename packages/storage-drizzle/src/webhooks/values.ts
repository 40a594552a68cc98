/** Allowed values in columns of events, deliveries and transactions, on both engines. */
export const withheldReasons = ['SCOPE_NOT_GRANTED', 'NO_GRANT', 'NO_ENDPOINT'] as const
export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const
/** Of attempts that have ended. */
export const endedAttemptStates = ['SUCCEEDED', 'FAILED', 'INTERRUPTED', 'UNSENT'] as const
export const attemptStates = ['STARTED', ...endedAttemptStates] as const
export const transactionStates = ['PENDING', 'SETTLED', 'DECLINED'] as const
export const recoveryStates = ['RUNNING', 'DONE', 'STOPPED'] as const
export const pausers = ['PARTNER', 'OPERATOR'] as const

/** Classes of deliveries, in the order in which the due ones of an endpoint are claimed. A pause holds all but tests. */
export const deliveryClass = { test: 0, live: 1, recovered: 2 } as const
export const classOf = (isTest: boolean) => (isTest ? deliveryClass.test : deliveryClass.live)

const allClasses = Object.values(deliveryClass)

/** Classes that wait for the end of a pause. */
export const heldClasses = allClasses.filter((each) => each !== deliveryClass.test)

/** Classes that an endpoint is sent. */
export const sentClasses = (paused: boolean) => (paused ? [deliveryClass.test] : allClasses)

/** Event types that an endpoint gets without naming any. All others go only to endpoints that name them. */
export const unnamedTypes: readonly string[] = [
  'WIDGET_KYC_INITIATION',
  'WIDGET_DEPOSIT_COMPLETE',
  'WIDGET_WITHDRAW_COMPLETE',
  'TRANSACTION_CREATE',
  'TRANSACTION_UPDATE',
  'TRANSACTION_DECLINE',
]
