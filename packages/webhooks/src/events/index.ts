export { eventCatalogue, type CatalogueEntry } from './catalogue.js'
export { eventExample, parseEvent, type EventViolation } from './parse-event.js'
export { transitionTransactionStatus, type TransactionEventType, type TransactionState } from './transaction-status.js'
