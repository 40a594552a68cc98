/** What the worker decides with, for the enumeration of all states in proof/exhaustive. It is not public. */
export { attemptResultOf } from '../src/delivery/delivery-state.js'
export { xEventIdOf } from '../src/publishing/x-event-id.js'
