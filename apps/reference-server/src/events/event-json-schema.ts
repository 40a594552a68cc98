import * as z from 'zod'

export type Json = Record<string, unknown>

/** JSON Schema 2020-12 of the body of an event type of the service. */
export function eventJsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', override }) as Json
  return rest

  function override({ jsonSchema: json }: { jsonSchema: Json }): void {
    delete json['readOnly']
    if (json['format'] === 'uuid' || json['format'] === 'date-time') delete json['pattern']
    // Later versions may add fields.
    if (json['additionalProperties'] === false) delete json['additionalProperties']
  }
}

const uuid = { type: 'string', format: 'uuid' }

/** JSON Schema of the body of an event type of the operator's own: its fields, and those that the service adds. */
export function ownEventJsonSchema(name: string, own: Json): Json {
  const { $schema: _dialect, additionalProperties: _closed, properties, required, ...rest } = own
  const added = {
    eventType: { const: name },
    userId: uuid,
    accountId: uuid,
    externalReferenceId: { type: 'string' },
    appId: uuid,
  }
  return {
    ...rest,
    type: 'object',
    properties: { ...added, ...(properties as Json | undefined) },
    required: [...new Set([...Object.keys(added), ...((required as readonly string[] | undefined) ?? [])])],
  }
}
