/** Checks that a text has complete PEM blocks only. */
export function isWholePem(text: string): boolean {
  const rest = text.replaceAll(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g, '')
  return rest !== text && !rest.includes('-----')
}
