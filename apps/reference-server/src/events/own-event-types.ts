import { WebhookError } from '@kyc-relay/webhooks/delivery'
import * as z from 'zod'
import { createEventCatalogue, type OwnCatalogueType } from './event-catalogue.js'

const jsonObject = z.record(z.string(), z.unknown())
const entry = z.strictObject({
  name: z.string(),
  description: z.string().min(1).max(300),
  scopes: z.array(z.string().min(1).max(100)).min(1).max(20),
  schema: z.looseObject({
    type: z.literal('object'),
    properties: jsonObject.optional(),
    required: z.array(z.string()).optional(),
  }),
  example: jsonObject,
})
const file = z.strictObject({ eventTypes: z.array(entry).max(100) })

/**
 * Parses the text of `EVENT_TYPES_FILE`. Each schema is a JSON Schema of the fields of an event, without those that the
 * service adds.
 *
 * @returns the types, or what is wrong, without a value of the file
 */
export function parseOwnEventTypes(text: string): readonly OwnCatalogueType[] | { readonly problem: string } {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { problem: 'it is not JSON.' }
  }
  const parsed = file.safeParse(given)
  if (!parsed.success) {
    const places = [...new Set(parsed.error.issues.map(({ path }) => `/${path.map(String).join('/')}`))].slice(0, 10)
    return {
      problem: `expected {"eventTypes": [{name, description, scopes, schema, example}]}. See ${places.join(', ')}.`,
    }
  }
  const own: OwnCatalogueType[] = []
  for (const [index, { name, description, scopes, schema, example }] of parsed.data.eventTypes.entries()) {
    try {
      const checked = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema)
      own.push({ type: { name, scopes, example, schema: checked }, meaning: description, schema })
    } catch {
      return { problem: `/eventTypes/${index}/schema is not a JSON Schema that the server can check.` }
    }
  }
  try {
    createEventCatalogue({ own })
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    return { problem: `${error.message} The pointers begin at /eventTypes.` }
  }
  return own
}
