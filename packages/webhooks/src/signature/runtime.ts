/** The parts of Node that are used where available. */
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
 * Returns a module of Node; undefined in other runtimes. Without an import, one build works with every runtime and
 * bundler.
 *
 * Looked up on each call, which costs 50 ns. A constant would be set when the module loads, before a polyfill or a test
 * environment is ready.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  try {
    return (globalThis as NodeGlobals).process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined
  } catch {
    // In Next's Edge runtime the function exists but throws.
    return undefined
  }
}

/** Returns Node's `Buffer`; undefined in other runtimes. */
export function nodeBuffer(): NodeGlobals['Buffer'] {
  return (globalThis as NodeGlobals).Buffer
}

/** Decodes UTF-8; throws for other bytes. Jest's jsdom has no `TextDecoder`. */
export function decodeUtf8(bytes: Uint8Array): string {
  const Decoder = globalThis.TextDecoder ?? nodeModule('node:util')?.TextDecoder
  return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
