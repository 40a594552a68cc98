import * as z from 'zod'

/** Lists the texts of an object that no pattern limits: they can hold anything, such as an SSN. */
export function unpatternedTexts(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape)
    .filter(([, field]) => isUnpatternedText(field))
    .map(([name]) => name)
}

function isUnpatternedText(field: unknown): boolean {
  if (field instanceof z.ZodOptional) return isUnpatternedText(field.unwrap())
  return field instanceof z.ZodString && field.meta()?.['pattern'] === undefined
}
