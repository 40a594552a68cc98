/** Marks a style sheet, so that it is formatted as one. */
export const css = String.raw
