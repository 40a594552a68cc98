import { checkEndpointHeaders } from '@kyc-relay/webhooks/internal'

/** Reads `Name: value` lines. A line without a colon is a name without a value, which is refused. */
export function readHeaders(text: string): readonly (readonly [name: string, value: string])[] {
  return linesOf(text).map((line) => {
    const [name = '', ...value] = line.split(':')
    return [name.trim(), value.join(':').trim()]
  })
}

/**
 * Returns the lines without their values, which are secrets. A line without a valid name before a colon may be a secret
 * too: it becomes a lone colon. The form refuses both, so no header is forgotten silently.
 */
export function withoutValues(text: string): string {
  const kept = linesOf(text).map((line) => {
    const name = line.slice(0, Math.max(line.indexOf(':'), 0)).trim()
    return checkEndpointHeaders({ [name]: '' }) === 'HEADER_NAME_INVALID' ? ':' : `${name}: `
  })
  return kept.join('\n')
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
