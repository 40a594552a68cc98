import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WebhookError } from '../delivery/webhook-error.js'
import { eventExamples } from '../events/event-examples.js'
import type { DescribedEventType, EventTypes } from '../events/event-type-registry.js'
import { allEventTypes } from '../events/event-types.js'
import type { OwnEventType } from '../events/own-event-types.js'
import { UsageError } from './command.js'

type Given = readonly OwnEventType[] | EventTypes<readonly OwnEventType[]>

/** Event types with their examples. */
export interface ExampleTypes {
  readonly names: readonly string[]
  find(name: string): Pick<DescribedEventType, 'name' | 'example'> | undefined
}

const examples: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(Object.entries(eventExamples))

const standardTypes: ExampleTypes = {
  names: allEventTypes,
  find(name) {
    const example = examples.get(name)
    return example === undefined ? undefined : { name, example }
  },
}

/** Loads event types of the user's own from a module; those of the service without one. */
export async function loadEventTypes(file: string | undefined): Promise<ExampleTypes> {
  if (file === undefined) return standardTypes
  const given = await import(pathToFileURL(resolve(file)).href).then(
    (loaded: { readonly eventTypes?: Given; readonly default?: Given }) => loaded.eventTypes ?? loaded.default,
    (error: unknown) => {
      throw new UsageError(`Cannot load ${file}: ${reasonOf(error)}.`)
    },
  )
  if (typeof given !== 'object') {
    throw new UsageError('--event-types takes a JavaScript module that exports eventTypes, a list of event types.')
  }
  // Loaded when it is used: the schemas need zod, which a receiver has not installed.
  const { eventTypesOf } = await import('../events/event-type-registry.js')
  try {
    return eventTypesOf(given)
  } catch (error) {
    if (error instanceof WebhookError) throw new UsageError(error.message)
    throw error
  }
}

/** The code of an error of the module, or its name. Its message could quote the module. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return 'code' in error ? String(error.code) : error.name
}
