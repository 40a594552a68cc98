/** The parts of Node that are used where available. */
interface NodeModules {
  'node:buffer': { readonly Buffer?: NodeBuffer }
  'node:crypto': Partial<NodeCrypto>
  'node:util': { readonly TextDecoder: typeof TextDecoder }
}

interface NodeBuffer {
  from(text: string): Uint8Array
}
interface NodeCrypto {
  createHmac(algorithm: 'sha256', key: string | Uint8Array): NodeHmac
  timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean
}
interface NodeHmac {
  update(data: string | Uint8Array): NodeHmac
  digest(encoding: 'hex'): string
}

interface NodeGlobals {
  process?: { getBuiltinModule?: (name: string) => unknown }
}

/** Returns a module of Node; undefined in other runtimes. Without an import, one build works everywhere. */
function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  try {
    return (globalThis as NodeGlobals).process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined
  } catch {
    // In Next's Edge runtime the function exists but throws.
    return undefined
  }
}

/** Parts of Node for HMAC. */
interface NodeHmacParts {
  readonly crypto: NodeCrypto
  readonly Buffer: NodeBuffer
}
let found: NodeHmacParts | null | undefined

/**
 * Returns `node:crypto` and `Buffer`; null if one is missing or a polyfill without HMAC. The first call decides: each
 * look-up costs a twentieth of an HMAC.
 */
export function nodeHmacParts(): NodeHmacParts | null {
  if (found === undefined) found = findNodeHmacParts()
  return found
}

function findNodeHmacParts(): NodeHmacParts | null {
  const crypto = nodeModule('node:crypto')
  const Buffer = nodeModule('node:buffer')?.Buffer
  if (!crypto?.createHmac || !crypto.timingSafeEqual || !Buffer) return null
  return { crypto: crypto as NodeCrypto, Buffer }
}

/** Decodes UTF-8; throws for other bytes. Jest's jsdom has no `TextDecoder`. */
export function decodeUtf8(bytes: Uint8Array): string {
  const Decoder = globalThis.TextDecoder ?? nodeModule('node:util')?.TextDecoder
  return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
