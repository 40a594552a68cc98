/** Response headers that may hold a secret of the partner. */
const secretHeaders =
  /^(?:set-cookie|authorization|proxy-authorization|.*(?:token|secret|api-?key|signature|session).*)$/i

/** Headers that the service reads or that explain a failure. They are kept first. */
const tellingHeaders = ['location', 'retry-after', 'content-type', 'server', 'www-authenticate', 'allow']
const isTelling = (name: string) => tellingHeaders.includes(name.toLowerCase())

const maxHeaders = 64
const maxValueLength = 1_024

/**
 * Prepares response headers for the attempt log: at most 64 headers of 1,024 characters, names in lower case. It
 * redacts values that may hold secrets, and replaces control characters and characters outside Latin-1.
 */
export function readableHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const readable: Record<string, string> = {}
  const names = Object.keys(headers).sort((one, other) => Number(isTelling(other)) - Number(isTelling(one)))
  for (const name of names.slice(0, maxHeaders)) {
    const value = headers[name]
    // The sender of an embedder can return anything.
    if (value === undefined || value === null) continue
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    readable[name.toLowerCase()] = secretHeaders.test(name) ? '[redacted]' : printable(text).slice(0, maxValueLength)
  }
  return readable
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\xff]/g, '\ufffd')
}
