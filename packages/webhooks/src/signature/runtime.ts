/** The parts of Node that are used where they are there. */
interface NodeModules {
  'node:crypto': NodeCrypto
  'node:util': { readonly TextDecoder: typeof TextDecoder }
}

export interface NodeCrypto {
  createHmac(algorithm: 'sha256', key: string | Uint8Array): NodeHmac
  /** Node 20.12 and later. */
  readonly hash?: (algorithm: 'sha256', data: Uint8Array, encoding: 'hex' | 'latin1') => string
}
interface NodeHmac {
  update(data: string | Uint8Array): NodeHmac
  digest(encoding: 'hex'): string
}

export interface NodeBuffer extends Uint8Array {
  write(text: string, offset: number, encoding: 'latin1' | 'utf8'): number
}
interface NodeGlobals {
  process?: { getBuiltinModule?: (name: string) => unknown }
  Buffer?: { allocUnsafe(size: number): NodeBuffer; byteLength(text: string): number }
}

/**
 * One of Node's modules, or undefined where there is none: one build runs everywhere, and no bundler sees an import.
 *
 * Looked up per call, which costs 50 ns: kept in a variable, the choice would be frozen when the module loads, before a
 * polyfill or a test environment is in place.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  try {
    return (globalThis as NodeGlobals).process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined
  } catch {
    // Next's Edge runtime has the function, and it throws.
    return undefined
  }
}

/** Node's `Buffer`, or undefined. */
export function nodeBuffer(): NodeGlobals['Buffer'] {
  return (globalThis as NodeGlobals).Buffer
}

/** Decodes UTF-8 and throws on anything else. Jest's jsdom has no `TextDecoder` of its own. */
export function decodeUtf8(bytes: Uint8Array): string {
  const Decoder = globalThis.TextDecoder ?? nodeModule('node:util')?.TextDecoder
  return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
