/** Wraps bytes in a `Buffer` without a copy. Inside an array, pg writes only a `Buffer` as bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
