import { WebhookError, type PreparationViolation } from '../delivery/webhook-error.js'
import { eventCatalogue } from './catalogue.js'
import { allEventTypes, optionalEventTypes, type EventType } from './event-types.js'
import type { EventIdentifiers, NoEventTypes, OwnEventType } from './own-event-types.js'
import { issuesOf, type EventViolation } from './event-violation.js'
import type { SchemaIssue, StandardSchema } from './standard-schema.js'

/** Result of validating a payload. */
export type ParsedEvent<Payload> =
  | { readonly ok: true; readonly event: Payload }
  | { readonly ok: false; readonly violations: readonly EventViolation[] }

/** An event type as publishing and delivery use it. */
export interface DescribedEventType {
  readonly name: string
  /** Scopes that the user must have granted; at least one. */
  readonly scopes: readonly string[]
  /** True if only endpoints that name it get it. */
  readonly optIn: boolean
  /** An example payload, with the fields that the service fills in. */
  readonly example: Readonly<Record<string, unknown>>
  /** Fields that the service fills in. */
  readonly filledFields: readonly string[]
  /** Validates a whole payload. */
  parse(payload: unknown): ParsedEvent<Readonly<Record<string, unknown>>>
}

/** The event types of a service: its own, and yours. */
export interface EventTypes<Own extends readonly OwnEventType[] = NoEventTypes> {
  /** Your event types. */
  readonly own: Own
  /** All names, the service's first. */
  readonly names: readonly string[]
  /** Returns an event type; undefined for an unknown name. */
  find(name: string): DescribedEventType | undefined
}

const identifierFields = ['eventType', 'userId', 'accountId', 'externalReferenceId', 'appId'] as const

const isIdentifier = (field: string) => (identifierFields as readonly string[]).includes(field)

const exampleIdentifiers: EventIdentifiers = {
  userId: '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01',
  accountId: '7c1f6d52-8f0e-4c5e-a1f2-5f3b0a9d4e02',
  externalReferenceId: 'customer-1042',
  appId: 'b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03',
}

/**
 * Adds event types of your own to those of the service. Pass the result, or the same list, as `eventTypes`.
 *
 * Each is checked: the name is free, there is a scope, the schema is a Standard Schema that validates at once, and it accepts
 * the example.
 *
 * @throws WebhookError `EVENT_TYPES_INVALID`; its violations point to the entry and its member
 *
 * @example
 * ```ts
 * import { createEventTypes } from '@kyc-relay/webhooks/events'
 * import * as z from 'zod'
 *
 * export const eventTypes = createEventTypes([
 *   {
 *     name: 'ORDER_SHIPPED',
 *     schema: z.object({ orderId: z.string(), parcels: z.int() }),
 *     scopes: ['LIST_PURCHASES'],
 *     example: { orderId: 'order-1042', parcels: 2 },
 *   },
 * ])
 * ```
 */
export function createEventTypes<const Own extends readonly OwnEventType[] = NoEventTypes>(own?: Own): EventTypes<Own> {
  const list: readonly OwnEventType[] = own ?? []
  checkOwnTypes(list)
  const described = new Map([
    ...allEventTypes.map((name) => [name as string, standardType(name)] as const),
    ...list.map((type) => [type.name, ownType(type)] as const),
  ])
  return { own: list as Own, names: [...described.keys()], find: (name) => described.get(name) }
}

/** The event types of the service alone, which is the default everywhere. */
export const standardEventTypes: EventTypes = createEventTypes([])

/** Accepts a list of own types too. */
export function eventTypesOf<Own extends readonly OwnEventType[]>(
  given: Own | EventTypes<Own> | undefined,
): EventTypes<Own> {
  return given !== undefined && 'names' in given ? given : createEventTypes(given)
}

function standardType(name: EventType): DescribedEventType {
  const { schema, scopes, example } = eventCatalogue[name]
  return {
    name,
    scopes,
    optIn: (optionalEventTypes as readonly string[]).includes(name),
    example: { ...example },
    filledFields: standardFilledFields(name),
    parse(payload) {
      const parsed = schema.safeParse(payload)
      if (parsed.success) return { ok: true, event: { ...parsed.data } }
      return { ok: false, violations: issuesOf(parsed.error.issues, payload) }
    },
  }
}

/** `TRANSACTION_DECLINE` has no `eventType` (docs/contract.md 8.4). */
function standardFilledFields(name: EventType): readonly string[] {
  switch (name) {
    case 'TRANSACTION_DECLINE':
      return ['userId', 'accountId', 'status']
    case 'TRANSACTION_CREATE':
    case 'TRANSACTION_UPDATE':
      return ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName']
    default:
      return identifierFields
  }
}

function ownType({ name, schema, scopes, optIn = true, example }: OwnEventType): DescribedEventType {
  /** A schema may describe the identifiers too: then its example has them. */
  const isSeen = (field: string) => !isIdentifier(field) || Object.hasOwn(example, field)

  function parse(payload: unknown): ParsedEvent<Readonly<Record<string, unknown>>> {
    if (!isRecord(payload)) return { ok: false, violations: issuesOf([{ message: '' }], payload) }
    const fields = Object.entries(payload)
    const seen = Object.fromEntries(fields.filter(([field]) => isSeen(field)))
    const result = validateAtOnce(schema, seen)
    if (result.issues !== undefined) return { ok: false, violations: issuesOf(result.issues, seen) }
    const identifiers = fields.filter(([field]) => isIdentifier(field))
    const own = Object.entries(result.value).filter(([field]) => !isIdentifier(field))
    return { ok: true, event: Object.fromEntries([...identifiers, ...own]) }
  }
  const whole = { eventType: name, ...exampleIdentifiers, ...example }
  return { name, scopes, optIn, example: whole, filledFields: identifierFields, parse }
}

const unusable = { issues: [{ message: '', code: 'custom' }] } as const

/**
 * Validates a payload. A schema that throws, that validates later or that returns no object cannot be used for it. A
 * schema of zod validates later, too, after one of its transforms has thrown.
 */
function validateAtOnce(
  schema: StandardSchema,
  value: unknown,
): { readonly value: object; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] } {
  try {
    const result = schema['~standard'].validate(value)
    if (result instanceof Promise) {
      // Its error may hold a value, and unhandled it would end the process.
      result.catch(() => undefined)
      return unusable
    }
    if (result.issues !== undefined) return { issues: result.issues }
    return isRecord(result.value) ? { value: result.value } : unusable
  } catch {
    return unusable
  }
}

/** Checks for an object that is written as one in JSON: no list, no Map. */
function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]'
}

const namePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/

function checkOwnTypes(list: readonly OwnEventType[]): void {
  const violations: PreparationViolation[] = []
  const add = (pointer: string, code: PreparationViolation['code'], message: string) =>
    violations.push({ pointer, code, message })
  if (!Array.isArray(list)) add('', 'TYPE', 'Give a list of event types.')
  for (const [index, type] of (Array.isArray(list) ? list : []).entries() as Iterable<
    [number, Partial<OwnEventType>]
  >) {
    const { name, scopes, schema, example, optIn = true, ...unknown } = type ?? {}
    // Misspelt, `optIn: false` would keep the events from all endpoints that name no types.
    for (const member of Object.keys(unknown))
      add(`/${index}/${member}`, 'UNKNOWN_FIELD', 'An event type has no such member.')
    if (typeof optIn !== 'boolean') add(`/${index}/optIn`, 'TYPE', 'Give true or false.')
    if (typeof name !== 'string' || !namePattern.test(name)) {
      add(`/${index}/name`, 'FORMAT', 'A name has 1–100 letters, digits, "_", "." or "-", a letter first.')
    } else if ((allEventTypes as readonly string[]).includes(name) || name === 'UNKNOWN') {
      add(`/${index}/name`, 'ENUM', 'The service has an event type of this name.')
    } else if (list.findIndex((other) => other?.name === name) < index) {
      add(`/${index}/name`, 'ENUM', 'This name is given twice.')
    }
    const isScope = (scope: unknown) => typeof scope === 'string' && scope !== ''
    if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isScope)) {
      add(`/${index}/scopes`, 'REQUIRED', 'An event type needs at least one scope.')
    }
    if (typeof schema?.['~standard']?.validate !== 'function') {
      add(`/${index}/schema`, 'TYPE', 'The schema is not a Standard Schema.')
    } else if (!acceptsExample(schema, example)) {
      add(
        `/${index}/example`,
        'TYPE',
        'The schema refuses the example, does not validate at once, or returns no object.',
      )
    }
  }
  if (violations.length === 0) return
  const texts = violations.map(({ pointer, message }) => `${pointer}: ${message}`)
  throw new WebhookError('EVENT_TYPES_INVALID', violations, texts.join(' '))
}

function acceptsExample(schema: StandardSchema, example: unknown): boolean {
  try {
    // A test event sends the example. Throws for what JSON cannot write, such as a bigint.
    JSON.stringify(example)
    return isRecord(example) && validateAtOnce(schema, example).issues === undefined
  } catch {
    return false
  }
}
