import * as z from 'zod'
import { argumentsSchema } from './arguments.js'

/** Lists the pointers of all optional texts of an object. */
function pointersOf(schema: unknown, pointer: string): string[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, field]) => pointersOf(field, `${pointer}/${name}`))
  }
  if (!(schema instanceof z.ZodOptional)) return []
  const inner = schema.unwrap()
  return inner instanceof z.ZodString ? [pointer] : pointersOf(inner, pointer)
}

const OPTIONAL_TEXTS: ReadonlySet<string> = new Set(pointersOf(argumentsSchema, ''))

/** Checks for the pointer of an optional text, where an empty text counts as absent. */
export function isOptionalText(pointer: string): boolean {
  return OPTIONAL_TEXTS.has(pointer)
}
