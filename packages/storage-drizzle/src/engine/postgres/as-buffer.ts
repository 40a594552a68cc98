/** The same bytes as a `Buffer`, without a copy: pg writes only a `Buffer` as bytes inside an array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
