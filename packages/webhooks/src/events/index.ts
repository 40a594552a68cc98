export { eventCatalogue, type CatalogueEntry } from './catalogue.js'
export { eventExample, parseEvent } from './parse-event.js'
export { createEventTypes } from './event-type-registry.js'
export type { OwnEventType } from './own-event-types.js'
