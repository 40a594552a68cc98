import type { EventName } from '@kyc-relay/webhooks/internal'
import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'
import { StorageError } from '../storage-error.js'
import { unnamedTypes } from './values.js'

type Progress = NonNullable<Awaited<ReturnType<RecoveryStore['findRecovery']>>>
export type StartRequest = Parameters<RecoveryStore['startRecovery']>[0]
export type StepRequest = Parameters<RecoveryStore['writeStep']>[0]

/** Columns of the progress of a recovery, on both engines. */
interface ProgressRow extends Omit<Progress['skipped'], 'scope'> {
  readonly recoveryId: string
  readonly state: Progress['state']
  readonly created: number
  readonly withoutScope: number
}

/** Converts a row to the progress of a recovery. */
export function readProgress(row: ProgressRow): Progress {
  const { recoveryId, state, created, acknowledged, pending, withoutScope, erased } = row
  const skipped = { acknowledged, pending, scope: withoutScope, erased }
  return { recoveryId, state, matched: created + acknowledged + pending + withoutScope + erased, created, skipped }
}

/** The types that an endpoint takes and a recovery asks for; null for all but those that it has to name. */
export function typesOf(ofEndpoint: string | null, asked: readonly EventName[] | null): readonly EventName[] | null {
  const taken = parseTypes(ofEndpoint)
  if (taken === null) return asked?.filter((type) => unnamedTypes.includes(type)) ?? null
  return asked === null ? taken : taken.filter((type) => asked.includes(type))
}

/**
 * Writes the types of a recovery into a column; null for all.
 *
 * @throws `ARGUMENT_INVALID` for another value than a list of names: a step could not read it
 */
export function formatTypes(types: readonly EventName[] | null | undefined): string | null {
  if (types === null || types === undefined) return null
  const isList = Array.isArray(types) && types.every((type) => typeof type === 'string')
  if (!isList) throw new StorageError('ARGUMENT_INVALID')
  return JSON.stringify(types)
}

/** Types in a column. */
export const parseTypes = (types: string | null): readonly EventName[] | null =>
  types === null ? null : (JSON.parse(types) as readonly EventName[])

/** The recovery ends with this step if it has looked at all events. Deliveries that came between count as pending. */
export function countsAfter(row: ProgressRow, { deliveries, skipped, next }: StepRequest, created: number) {
  return {
    state: next === null ? ('DONE' as const) : row.state,
    created: row.created + created,
    acknowledged: row.acknowledged + skipped.acknowledged,
    pending: row.pending + skipped.pending + deliveries.length - created,
    withoutScope: row.withoutScope + skipped.scope,
    erased: row.erased + skipped.erased,
  }
}
