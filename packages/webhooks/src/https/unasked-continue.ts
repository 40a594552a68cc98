import type { Socket } from 'node:net'

const headEnd = [13, 10, 13, 10] as const
const [zero, one, two] = [48, 49, 50] as const
/** Place of the first digit of the status in `HTTP/1.1 100`. */
const statusAt = 9

/**
 * Lets undici read past a `100 Continue` that the request did not ask for. undici closes the connection there. A client
 * must be able to read informational responses that it does not expect (RFC 9110, section 15.2).
 */
export function readPastContinue(socket: Socket): void {
  const rename = renameContinue()
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    const chunk: unknown = read(size)
    return chunk instanceof Uint8Array ? rename(chunk) : chunk
  }
}

/**
 * Returns a function for the chunks of a response in order. It changes the status of each `100 Continue` before the final
 * head to 102, which undici skips. It changes no other byte, and works in place.
 */
export function renameContinue(): (chunk: Uint8Array) => Uint8Array {
  let position = 0
  let ended = 0
  let secondDigit = 0
  let isFinal = false
  return (chunk) => {
    for (let index = 0; index < chunk.length && !isFinal; index += 1) {
      const byte = chunk[index] ?? 0
      if (position === statusAt) isFinal = byte !== one
      else if (position === statusAt + 1) secondDigit = byte
      else if (position === statusAt + 2 && secondDigit === zero && byte === zero) chunk[index] = two
      position += 1
      ended = byte === headEnd[ended] ? ended + 1 : byte === headEnd[0] ? 1 : 0
      if (ended === headEnd.length) position = ended = 0
    }
    return chunk
  }
}
