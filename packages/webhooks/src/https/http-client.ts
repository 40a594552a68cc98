// By its file: Bun replaces the module `undici` by one whose `Client` never answers. Elsewhere both are the same module.
import undici, { Client } from 'undici/index.js'

// undici is not a peer: a receiver needs none, and must install beside any version.
if (!('EnvHttpProxyAgent' in undici)) {
  throw new Error('@kyc-relay/webhooks needs undici 6.21 to 8 for ./https. Install undici@7.')
}

export { Client }
