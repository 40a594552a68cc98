import { checkEndpointUrl } from '@kyc-relay/webhooks/https'

/**
 * A known bug: a URL with a fragment is accepted if its parts stand in one order. Chance does not find the order. Each right
 * part reaches one branch more.
 */
export function acceptsOneOrder(text) {
  if (!text.startsWith('https://')) return checkEndpointUrl(text)
  if (!text.startsWith('partner.example', 8)) return checkEndpointUrl(text)
  if (!text.startsWith(':443', 23)) return checkEndpointUrl(text)
  if (!text.startsWith('?', 27)) return checkEndpointUrl(text)
  return text.startsWith('#', 28) ? { ok: true, url: text } : checkEndpointUrl(text)
}
