/** Checks for a text without NUL, which PostgreSQL neither stores nor compares. */
export const isStorable = (text: string): boolean => !text.includes('\0')
