/** How far the receiver is with an event. */
export const receiverEventStates = ['CLAIMED', 'RELEASED', 'COMPLETED'] as const
