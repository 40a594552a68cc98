import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { photoSide } from '../evidence/photo-answer.js'
import type { ErrorCode, Refusal } from '../http/error-catalogue.js'
import { readJsonObject, refuseBodyHead } from '../http/json-body.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation, violationsOf, type RequestViolation } from '../http/violations.js'

/** A refusal in the description of an operation. */
export interface RefusalNote {
  readonly status: number
  readonly code: ErrorCode
  readonly detail?: string
  readonly when: string
}

/** One response of an operation. */
export interface AnswerShape {
  readonly description: string
  /** Null for a response without a body. */
  readonly schema: z.ZodType | null
  /** Default: `application/json`. */
  readonly mediaType?: string
  /** Names and descriptions of the headers of this response. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * One operation of a REST API. Its schemas check requests and make the OpenAPI document. {@link serveOperation} also types
 * the responses by them.
 */
export interface OperationShape {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path with `{parameters}`: see {@link paramSchema}. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Schema of the query string. Every value is a string. An empty one is refused. */
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** True if a request without a body counts as `{}`. */
  readonly bodyOptional?: boolean
  readonly answers: Readonly<Record<number, AnswerShape>>
  readonly refusals: readonly RefusalNote[]
}

/** Parameters of paths. Every other one is a UUID. */
const paramSchemas = {
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .meta({ override: { type: 'integer', minimum: 1 } }),
  side: photoSide,
  reportId: z.string(),
}

/** Accepts either letter case and converts to lower case (RFC 9562, section 4). */
const uuid = z.guid().toLowerCase()

/** Returns the schema of a parameter of a path. */
export function paramSchema(name: string): z.ZodType {
  return (paramSchemas as Readonly<Record<string, z.ZodType>>)[name] ?? uuid
}

type Param<Name> = Name extends keyof typeof paramSchemas ? z.output<(typeof paramSchemas)[Name]> : string

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

type AnswerOf<Status extends number, Answer extends AnswerShape> = {
  readonly status: Status
  readonly headers?: Record<string, string>
} & (Answer['schema'] extends z.ZodType ? { readonly value: z.input<Answer['schema']> } : { readonly value?: never })

/** A valid request of an operation. */
export interface Call<O extends OperationShape> {
  readonly appId: string
  readonly params: { readonly [Name in ParameterNames<O['path']>]: Param<Name> }
  readonly query: O['query'] extends z.ZodObject ? z.output<O['query']> : null
  readonly body: O['body'] extends z.ZodObject ? z.output<O['body']> : null
}

/** A response of the operation, or a refusal. */
export type Outcome<O extends OperationShape> =
  | { [S in keyof O['answers'] & number]: AnswerOf<S, O['answers'][S]> }[keyof O['answers'] & number]
  | { readonly refusal: Refusal & { readonly fields?: readonly RequestViolation[] } }

/** Creates a response with the literal type of its status. */
export function answer<const Status extends number, Value = undefined>(
  status: Status,
  value?: Value,
  headers?: Record<string, string>,
): { readonly status: Status; readonly value: Value; readonly headers?: Record<string, string> } {
  return { status, value: value as Value, ...(headers === undefined ? {} : { headers }) }
}

/** Defines an operation and keeps its literal types. */
export function defineOperation<const O extends OperationShape>(operation: O): O {
  return operation
}

/** Finds violations that no schema states, in the query or the body as it was given. */
type FindMore = (given: Readonly<Record<string, unknown>>) => readonly RequestViolation[]

/** Serves an operation. Invalid requests are refused before `handle` is called. */
export function serveOperation<O extends OperationShape>(
  app: Hono<EdgeEnv>,
  operation: O,
  handle: (call: Call<O>) => Promise<Outcome<O>>,
  findMore: FindMore = () => [],
): void {
  app.on(operation.method.toUpperCase(), routePath(operation.path), async (c) => {
    const params = checkParams(c)
    if (params instanceof Response) return params
    return answerOperation(c, operation, params, handle, findMore)
  })
}

/** Checks the query and the body of a request, and answers it. No cache may keep the answer. */
export async function answerOperation<O extends OperationShape>(
  c: Context<EdgeEnv>,
  operation: O,
  params: Readonly<Record<string, unknown>>,
  handle: (call: Call<O>) => Promise<Outcome<O> | Response>,
  findMore: FindMore = () => [],
): Promise<Response> {
  const response = await checkAndHandle(c, operation, params, handle, findMore)
  response.headers.set('cache-control', 'no-store')
  return response
}

async function checkAndHandle<O extends OperationShape>(
  c: Context<EdgeEnv>,
  operation: O,
  params: Readonly<Record<string, unknown>>,
  handle: (call: Call<O>) => Promise<Outcome<O> | Response>,
  findMore: FindMore,
): Promise<Response> {
  const query = checkQuery(operation.query ?? noParameters, c, findMore)
  if (!query.ok) return query.response
  const body = await checkBody(operation, c, findMore)
  if (!body.ok) return body.response
  const given = { query: operation.query === undefined ? null : query.value, body: body.value }
  // The schemas have just checked the values, so the types are right.
  const outcome = await handle({ appId: c.get('appId'), params, ...given } as Call<O>)
  if (outcome instanceof Response) return outcome
  if ('refusal' in outcome) return refuseProblem(c, outcome.refusal)
  const { status, value, headers } = outcome as { status: number; value?: unknown; headers?: Record<string, string> }
  return value === undefined ? c.body(null, status as 204, headers) : c.json(value, status as 200, headers)
}

const noParameters = z.object({})

/** Checks the parameters of the path. */
export function checkParams(c: Context<EdgeEnv>): Record<string, unknown> | Response {
  const params: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(c.req.param())) {
    const checked = paramSchema(name).safeParse(text)
    if (!checked.success) return refuseProblem(c, { code: 'NOT_FOUND' })
    params[name] = checked.data
  }
  return params
}

/** Returns the path as Hono writes it. An id matches only a UUID, so that it never matches a fixed path. */
export function routePath(path: string): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name: string) => `:${name}${name in paramSchemas ? '' : '{[0-9A-Fa-f-]{36}}'}`,
  )
}

type Checked<Value = unknown> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly response: Response }

/** Checks the query string. Unknown and empty parameters are refused, repeated ones by most schemas. */
export function checkQuery<Query extends z.ZodObject>(
  schema: Query,
  c: Context<EdgeEnv>,
  findMore: FindMore = () => [],
): Checked<z.output<Query>> {
  const known = Object.keys(schema.shape)
  if (Object.keys(c.req.query()).some((name) => !known.includes(name))) {
    return { ok: false, response: refuseProblem(c, { code: 'UNKNOWN_PARAMETER' }) }
  }
  // A repeated parameter is a list, which most schemas refuse.
  const given = Object.fromEntries(Object.entries(c.req.queries()).map(([name, values]) => [name, values.join()]))
  // Read as absent, an empty filter would list everything, and an empty cursor would begin again.
  const empty = Object.keys(given).filter((name) => given[name] === '')
  if (empty.length > 0) {
    const fields = empty.map((name) => violation(`/${name}`, 'FORMAT'))
    return { ok: false, response: refuseProblem(c, { code: 'BAD_REQUEST', detail: 'QUERY_INVALID', fields }) }
  }
  const parsed = schema.safeParse(given)
  const more = findMore(given)
  if (parsed.success && more.length === 0) return { ok: true, value: parsed.data }
  const fields = [...(parsed.error ? violationsOf(parsed.error, given) : []), ...more]
  return { ok: false, response: refuseProblem(c, { code: 'BAD_REQUEST', detail: 'QUERY_INVALID', fields }) }
}

/** Checks the headers of a request for one without a body. */
export function hasNoBody(c: Context<EdgeEnv>): boolean {
  return c.req.header('transfer-encoding') === undefined && (c.req.header('content-length') ?? '0') === '0'
}

async function checkBody(operation: OperationShape, c: Context<EdgeEnv>, findMore: FindMore): Promise<Checked> {
  if (operation.body === undefined) return { ok: true, value: null }
  let given: Readonly<Record<string, unknown>> = {}
  if (operation.bodyOptional !== true || !hasNoBody(c)) {
    const head = refuseBodyHead(c)
    if (head !== null) return { ok: false, response: refuseProblem(c, head) }
    const read = await readJsonObject(c)
    if (!read.ok) return { ok: false, response: refuseProblem(c, read.refusal) }
    given = read.value
  }
  const parsed = operation.body.safeParse(given)
  const more = findMore(given)
  if (parsed.success && more.length === 0) return { ok: true, value: parsed.data }
  const fields = [...(parsed.error ? violationsOf(parsed.error, given) : []), ...more]
  return { ok: false, response: refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields }) }
}
