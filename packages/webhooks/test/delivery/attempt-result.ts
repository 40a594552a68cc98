/** The decision of the worker, for the enumeration of all states in proof/exhaustive. It is not public. */
export { attemptResultOf } from '../../src/delivery/delivery-state.js'
