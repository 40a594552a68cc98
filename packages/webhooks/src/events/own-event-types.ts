import type { SchemaInput, SchemaOutput, StandardSchema } from './standard-schema.js'

/** Fields that the service adds to every event of an own type. */
export interface EventIdentifiers {
  /** The service's user id. */
  readonly userId: string
  /** The service's account id. */
  readonly accountId: string
  /** The partner application's own user identifier. */
  readonly externalReferenceId: string
  /** The partner application's id. */
  readonly appId: string
}

/** An event type of your own, for the sender. */
export interface OwnEventType {
  /** 1–100 letters, digits, `_`, `.` or `-`, a letter first. Not one of the service's own types, and not `UNKNOWN`. */
  readonly name: string
  /**
   * Schema of the fields of your own: zod, or any Standard Schema that validates at once. The service adds `eventType`,
   * `userId`, `accountId`, `externalReferenceId` and `appId`. Its output is what is sent, so it must be JSON.
   */
  readonly schema: StandardSchema
  /** Scopes that the user must have granted; at least one. */
  readonly scopes: readonly string[]
  /** True to send it only to endpoints that name it. Default true. */
  readonly optIn?: boolean
  /** Fields of an example, which the schema must accept: for test events, the portal and `kyc-webhooks trigger`. */
  readonly example: Readonly<Record<string, unknown>>
}

/** An event type of your own, for a receiver: its name, and its schema for the type of `event`. */
export interface ReceivedEventType {
  readonly name: string
  readonly schema?: StandardSchema
}

/** No event types of your own. */
export type NoEventTypes = readonly []

type Named<Types extends readonly ReceivedEventType[], Name> = Extract<Types[number], { readonly name: Name }>

/** Fields without those that the service adds. Unlike `Omit` it keeps a union, and the fields of a loose object. */
type OwnFields<Fields> = {
  [Field in keyof Fields as Field extends keyof EventIdentifiers | 'eventType' ? never : Field]: Fields[Field]
}

/** Fields to publish for an own event type: the input of its schema. */
export type OwnEventData<Types extends readonly OwnEventType[], Name> = OwnFields<
  SchemaInput<Named<Types, Name>['schema']>
>

/** Payload of an own event type: the output of its schema, with the fields that the service adds. */
export type OwnEventPayload<Types extends readonly ReceivedEventType[], Name> = EventIdentifiers & {
  readonly eventType: Name
} & OwnFields<SchemaOutput<NonNullable<Named<Types, Name>['schema']>>>
