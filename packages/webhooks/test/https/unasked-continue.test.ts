import { describe, expect, test } from 'vitest'
import { renameContinue } from '../../src/https/unasked-continue.js'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n'

/** Passes a text on in chunks of `size` bytes. */
function renamed(text: string, size: number): string {
  const rename = renameContinue()
  const bytes = Buffer.from(text, 'latin1')
  let result = ''
  for (let start = 0; start < bytes.length; start += size) {
    result += Buffer.from(rename(bytes.subarray(start, start + size))).toString('latin1')
  }
  return result
}

describe('renaming 100 Continue', () => {
  test.each([1, 2, 7, 12, 1000])('in chunks of %i bytes: those before the final head, and nothing else', (size) => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </100>; a="HTTP/1.1 100"\r\n\r\n'
    expect(renamed(`${CONTINUE}${early}HTTP/1.1 100 Continue\r\nX: 1\r\n\r\n${FINAL}${CONTINUE}`, size)).toBe(
      `HTTP/1.1 102 Continue\r\n\r\n${early}HTTP/1.1 102 Continue\r\nX: 1\r\n\r\n${FINAL}${CONTINUE}`,
    )
  })

  test.each([
    FINAL + CONTINUE,
    'HTTP/1.1 101 Switching\r\n\r\n',
    'HTTP/1.1 110 X\r\n\r\n',
    '220 mail.example.com\r\n',
    '',
  ])('leaves %j alone', (text) => {
    expect(renamed(text, 5)).toBe(text)
  })
})
