import * as z from 'zod'

/** Lists the texts of an object that no pattern limits: they can hold anything, such as an SSN. */
export function unpatternedTexts(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape)
    .map(([name, field]) => ({ name, text: field instanceof z.ZodOptional ? field.unwrap() : field }))
    .filter(({ text }) => text instanceof z.ZodString && text.meta()?.['pattern'] === undefined)
    .map(({ name }) => name)
}
