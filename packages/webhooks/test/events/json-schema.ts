import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { eventCatalogue } from '@kyc-relay/webhooks/events'
import { allEventTypes } from '@kyc-relay/webhooks/internal'
import type { EventType } from '@kyc-relay/webhooks'

interface JsonObjectSchema {
  [keyword: string]: unknown
  properties?: Record<string, Record<string, unknown>>
}

/** Descriptions of fields as the TypeScript interfaces have them, by field name. */
function describedFields(file: string): Map<string, string> {
  const source = readFileSync(new URL(`../../src/events/${file}`, import.meta.url), 'utf8')
  const fields = source.matchAll(/\/\*\* (.+?) \*\/\s+readonly (\w+)\??:/g)
  return new Map(Array.from(fields, ([, description = '', name = '']) => [name, description]))
}

/** The file that declares the type of each event. */
const fileOf: Readonly<Record<EventType, string>> = {
  WIDGET_KYC_INITIATION: 'widget-events.ts',
  WIDGET_DEPOSIT_COMPLETE: 'widget-events.ts',
  WIDGET_WITHDRAW_COMPLETE: 'widget-events.ts',
  TRANSACTION_CREATE: 'transaction-events.ts',
  TRANSACTION_UPDATE: 'transaction-events.ts',
  TRANSACTION_DECLINE: 'decline-event.ts',
  KYC_STATUS_CHANGED: 'kyc-status-event.ts',
}

/** The events as one JSON Schema. Open where the service validates strictly: later versions may send more fields. */
export function eventsJsonSchema(): unknown {
  const definitions = allEventTypes.map((type) => {
    const { schema, scopes } = eventCatalogue[type]
    const descriptions = describedFields(fileOf[type])
    const { $schema: _, additionalProperties: __, ...object } = z.toJSONSchema(schema) as JsonObjectSchema
    const properties = Object.entries(object.properties ?? {}).map(([name, field]) => {
      const { pattern: ___, ...plain } = field
      const described = descriptions.get(name)
      return [name, { ...plain, ...(described ? { description: described } : {}) }]
    })
    return [type, { ...object, properties: Object.fromEntries(properties) as unknown, 'x-scopes': scopes }]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:kyc-relay:webhook-events:1.0',
    title: 'Webhook payloads, by event type',
    $comment:
      'TRANSACTION_DECLINE carries no eventType. A field that may be null may also be absent. Tolerate other fields.',
    oneOf: allEventTypes.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(definitions) as unknown,
  }
}

/** One example payload per event type. */
export function eventsExamples(): unknown {
  return Object.fromEntries(allEventTypes.map((type) => [type, eventCatalogue[type].example]))
}
