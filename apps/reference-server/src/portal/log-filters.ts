import { parseDateTime } from '@kyc-relay/kyc-core/internal'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { ListDeliveriesRequest } from '@kyc-relay/webhooks/internal'
import * as z from 'zod'

type Filter = Omit<ListDeliveriesRequest, 'appId' | 'cursor' | 'limit'>

/** A field of the form that is empty or cannot be read is left out. */
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

/** What a `datetime-local` field sends: a time without an offset, here in UTC. `Date` takes 30 February for 2 March. */
export const utcTime = z
  .string()
  .regex(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d(?::[0-5]\d)?$/)
  .refine((text) => parseDateTime(text) !== null)

const logFilters = z.object({
  find: optional(z.string().trim().min(1).max(200)),
  status: optional(z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'])),
  eventType: optional(z.string().min(1).max(100)),
  endpointId: optional(z.uuid()),
  httpStatus: optional(z.string().regex(/^[1-5]\d\d$/)),
  from: optional(utcTime),
  until: optional(utcTime),
})

/** Filters of the delivery log as the form has them. `find` is an id; `from` and `until` are times in UTC. */
export type LogFilters = z.output<typeof logFilters>

/** Reads the filters of the delivery log from its address. */
export function readLogFilters(query: Readonly<Record<string, string>>, eventTypes: readonly string[]): LogFilters {
  const filters = logFilters.parse(query)
  const isKnown = filters.eventType === undefined || eventTypes.includes(filters.eventType)
  return isKnown ? filters : { ...filters, eventType: undefined }
}

/** Whether the address has a filter that cannot be read, and was left out. */
export function hasUnreadFilters(query: Readonly<Record<string, string>>, filters: LogFilters): boolean {
  const names = Object.keys(logFilters.shape) as (keyof LogFilters)[]
  return names.some((name) => (query[name] ?? '').trim() !== '' && filters[name] === undefined)
}

/** Returns the address of a page of the log. */
export function addressOfLog(filters: LogFilters, cursor: string | null): string {
  const fields = Object.entries({ ...filters, cursor: cursor ?? undefined })
  const query = new URLSearchParams(fields.filter((field): field is [string, string] => field[1] !== undefined))
  return query.size === 0 ? '/portal/deliveries' : `/portal/deliveries?${query}`
}

/**
 * Converts the filters for the store. What `find` is the id of, the log tells: the first kind that is there. Returns null
 * if it is no id.
 */
export async function resolveFilters(
  store: Pick<WebhookStore, 'listDeliveries'>,
  appId: string,
  { find, status, httpStatus, from, until, eventType, endpointId }: LogFilters,
): Promise<Filter | null> {
  const filter: Filter = {
    ...(status === undefined ? {} : { state: status }),
    ...(eventType === undefined ? {} : { eventType }),
    ...(endpointId === undefined ? {} : { endpointId: endpointId.toLowerCase() }),
    ...(httpStatus === undefined ? {} : { httpStatus: Number(httpStatus) }),
    ...(from === undefined ? {} : { createdAfter: new Date(`${from}Z`) }),
    ...(until === undefined ? {} : { createdBefore: new Date(`${until}Z`) }),
  }
  if (find === undefined) return filter
  const id = z.guid().safeParse(find).data?.toLowerCase()
  if (id === undefined) return null
  const kinds: readonly Filter[] = [{ xEventId: id }, { eventId: id }, { userId: id }, { transactionId: id }]
  const pages = await Promise.all(kinds.map((kind) => store.listDeliveries({ appId, limit: 1, ...kind })))
  const known = kinds.find((_, index) => (pages[index]?.items.length ?? 0) > 0)
  return { ...filter, ...(known ?? kinds[0]) }
}
