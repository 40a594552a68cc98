import { readFile } from 'node:fs/promises'
import type { OwnCatalogueType } from '../events/event-catalogue.js'
import { parseOwnEventTypes } from '../events/own-event-types.js'
import { StartError } from './start-error.js'

/** Reads `EVENT_TYPES_FILE`; no types if it is not set. */
export async function loadEventTypes(path: string | null): Promise<readonly OwnCatalogueType[]> {
  if (path === null) return []
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null)
    throw new StartError(
      'EVENT_TYPES_FILE_MISSING',
      'EVENT_TYPES_FILE cannot be read. Set it to the path of a file that this process may read, or remove it.',
    )
  const types = parseOwnEventTypes(text)
  if ('problem' in types) throw new StartError('EVENT_TYPES_FILE_INVALID', `EVENT_TYPES_FILE: ${types.problem}`)
  return types
}
