import * as z from 'zod'
import type { EventCatalogue } from '../events/event-catalogue.js'
import { openApiWebhooks } from './openapi-events.js'
import { curlOf, operationExamples } from './operation-examples.js'
import { paramSchema, type AnswerShape, type OperationShape, type RefusalNote } from './operation.js'
import { problem } from './webhook-schemas.js'

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  readonly openapi: '3.1.1'
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>>; readonly [part: string]: unknown }
}

/** What differs between the documents of two APIs. */
export interface ApiDescription {
  readonly title: string
  readonly description: string
  readonly server: string
  /** Name and description of the bearer token. */
  readonly security: readonly [name: string, description: string]
  readonly tags: Readonly<Record<string, string>>
  /** Refusals of every operation. */
  readonly everywhere: readonly RefusalNote[]
  /** Refusals of every operation that makes changes. */
  readonly changing: readonly RefusalNote[]
  /** Headers of every answer, with their descriptions. */
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly curlOf: (operation: OperationShape) => string
  readonly exampleOf: (operation: OperationShape) => OperationExample
  /** Event types that requests and answers name. */
  readonly eventTypeNames: readonly string[]
  readonly webhooks: Json | null
}

interface OperationExample {
  readonly body?: unknown
  readonly answers: Readonly<Record<number, unknown>>
}

export const parameterUnknown = {
  status: 400,
  code: 'UNKNOWN_PARAMETER',
  when: 'The query has a parameter that does not exist.',
} as const satisfies RefusalNote

/** Refusals of every operation. */
const everywhere: readonly RefusalNote[] = [
  parameterUnknown,
  { status: 401, code: 'UNAUTHENTICATED', detail: 'API_KEY_REQUIRED', when: 'The API key is missing or unknown.' },
  { status: 429, code: 'RATE_LIMITED', when: 'Too many requests; see `Retry-After`.' },
  { status: 500, code: 'INTERNAL', when: 'The service failed. Retrying is safe.' },
  { status: 503, code: 'UNAVAILABLE', when: 'The service is overloaded or cannot reach its database.' },
]

/** Refusals of every operation that makes changes. */
const changing: readonly RefusalNote[] = [
  {
    status: 403,
    code: 'FORBIDDEN',
    detail: 'API_KEY_RETIRING',
    when: 'The API key is being retired and allows only reading.',
  },
]

const withBody: readonly RefusalNote[] = [
  { status: 400, code: 'BAD_REQUEST', when: 'The body is not an acceptable JSON object; `detail` says why.' },
  { status: 400, code: 'LIMIT_EXCEEDED', when: 'The body has too many values, levels or characters; see `detail`.' },
  { status: 413, code: 'PAYLOAD_TOO_LARGE', when: 'The body is larger than 512 KiB.' },
  { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', when: 'The body is not JSON in UTF-8.' },
]

const tags: Readonly<Record<string, string>> = {
  Endpoints: 'Where events are sent.',
  Deliveries: 'What was sent, when, and what was answered.',
  Recovery: 'How a partner comes back after an outage.',
  Verifications: 'What the app submitted, to reconcile.',
  'API keys': 'The key that calls this API and signs webhooks.',
  Events: 'What the service sends to endpoints. Only one request differs from another: its body.',
}

const limitHeaders = {
  RateLimit: 'Remaining requests: `"app";r=<requests>;t=<seconds until the limit is fully available>`.',
  'RateLimit-Policy': 'The limit: `"app";q=<requests>;w=<seconds>`.',
}

const partnerApi = ({ all, names }: Pick<EventCatalogue, 'all' | 'names'>): ApiDescription => ({
  title: 'kyc-relay webhooks',
  description:
    'Registration of webhook endpoints, the delivery log, test events and API keys of one application. ' +
    'Errors are problem details (RFC 9457) with a stable `code`.',
  server: 'The standard API host.',
  security: ['apiKey', 'The API key of the application.'],
  tags,
  everywhere,
  changing,
  answerHeaders: limitHeaders,
  curlOf,
  exampleOf: ({ id }) => operationExamples[id as keyof typeof operationExamples],
  eventTypeNames: names,
  webhooks: openApiWebhooks(all),
})

/** Creates the OpenAPI document of the partners' API. */
export function partnerDocument(operations: readonly OperationShape[], catalogue: EventCatalogue): OpenApiDocument {
  return openApiDocument(operations, partnerApi(catalogue))
}

/** Creates the OpenAPI document of these operations, from the same schemas that check requests. */
export function openApiDocument(operations: readonly OperationShape[], api: ApiDescription): OpenApiDocument {
  const components: Record<string, Json> = {}
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => jsonSchema(schema, io, components)
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: {
        operationId: operation.id,
        tags: [operation.tag],
        summary: operation.summary,
        ...(operation.description === undefined ? {} : { description: operation.description }),
        parameters: parametersOf(operation, schemaOf),
        ...(operation.body === undefined
          ? {}
          : {
              requestBody: {
                required: operation.bodyOptional !== true,
                content: { 'application/json': bodyOf(operation.body, api.exampleOf(operation), schemaOf) },
              },
            }),
        responses: responsesOf(operation, api, schemaOf),
        'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: api.curlOf(operation) }],
      },
    }
  }
  if (components['EventType'] !== undefined) components['EventType']['enum'] = api.eventTypeNames
  const [securityName, securityText] = api.security
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: '1',
      description: api.description,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: api.server }],
    security: [{ [securityName]: [] }],
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths,
    ...(api.webhooks === null ? {} : { webhooks: api.webhooks }),
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1))),
      securitySchemes: {
        [securityName]: { type: 'http', scheme: 'bearer', description: securityText },
      },
    },
  }
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json

function bodyOf(body: z.ZodType, { body: example }: OperationExample, schemaOf: SchemaOf): Json {
  return { schema: schemaOf(body, 'input'), ...(example === undefined ? {} : { example }) }
}

function parametersOf(operation: OperationShape, schemaOf: SchemaOf): Json[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemaOf(paramSchema(name ?? ''), 'input'),
  }))
  const inQuery = Object.entries(operation.query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schemaOf(schema as z.ZodType, 'input')
    return { name, in: 'query', required: false, ...(description ? { description } : {}), schema: rest }
  })
  return [...inPath, ...inQuery]
}

function responsesOf(operation: OperationShape, api: ApiDescription, schemaOf: SchemaOf): Json {
  const answers = Object.entries(operation.answers).map(([status, answer]): [string, Json] => [
    status,
    answerOf(answer, api, schemaOf, api.exampleOf(operation).answers[Number(status)]),
  ])
  const notes = [
    ...operation.refusals,
    ...api.everywhere,
    ...(operation.method === 'get' ? [] : api.changing),
    ...(operation.body === undefined ? [] : withBody),
  ]
  const refusals = [...new Set(notes.map(({ status }) => status))].map((status): [string, Json] => {
    const of = notes.filter((note) => note.status === status)
    return [
      String(status),
      {
        description: of
          .map((note) => `\`${[note.code, note.detail].filter(Boolean).join(' ')}\` ${note.when}`)
          .join('\n\n'),
        ...(status === 429 || status === 503 ? { headers: headersOf({ 'Retry-After': 'Seconds to wait.' }) } : {}),
        content: { 'application/problem+json': { schema: schemaOf(problem, 'output') } },
      },
    ]
  })
  return Object.fromEntries([...answers, ...refusals].sort(([one], [other]) => Number(one) - Number(other)))
}

function answerOf(answer: AnswerShape, api: ApiDescription, schemaOf: SchemaOf, example: unknown): Json {
  return {
    description: answer.description,
    headers: headersOf({ ...answer.headers, ...api.answerHeaders }),
    ...(answer.schema === null
      ? {}
      : {
          content: {
            [answer.mediaType ?? 'application/json']: {
              schema: schemaOf(answer.schema, 'output'),
              ...(example === undefined ? {} : { example }),
            },
          },
        }),
  }
}

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

/** Converts a schema to JSON Schema 2020-12. Named schemas move to `components`. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline', override }) as Json
  const { $schema: _dialect, $defs, id, ...rest } = made
  for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
    components[name] = withoutId(withComponentRefs(definition) as Json)
  }
  const own = withComponentRefs(rest) as Json
  if (typeof id !== 'string') return own
  components[id] = own
  return { $ref: `#/components/schemas/${id}` }

  function override({ jsonSchema: json }: { jsonSchema: Json }): void {
    // The format is sufficient, so the pattern is removed.
    if (json['format'] === 'uuid' || json['format'] === 'date-time') delete json['pattern']
    // Later versions may add members to responses.
    if (io === 'output' && json['additionalProperties'] === false) delete json['additionalProperties']
    // Not every validator reads a pattern as Unicode (`u`), and without it a class such as `\p{Cc}` means something else.
    if (typeof json['pattern'] === 'string' && json['pattern'].includes('\\p{')) delete json['pattern']
    const instead = json['override']
    if (typeof instead !== 'object' || instead === null) return
    const { description } = json
    for (const key of Object.keys(json)) delete json[key]
    Object.assign(json, instead, description === undefined ? {} : { description })
  }
}

function withoutId({ id: _id, ...rest }: Json): Json {
  return rest
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : withComponentRefs(inner),
    ]),
  )
}
