/** A secret value that must not be found anywhere, and the forms in which it could hide. */
interface Canary {
  readonly name: string
  readonly forms: readonly string[]
}

/** One place where a canary was found. */
export interface Leak {
  readonly sink: string
  readonly canary: string
  readonly encoding: string
}

/** Ways to write bytes down, each giving the texts to look for. */
export const encodings: Readonly<Record<string, (text: string) => readonly (string | Buffer)[]>> = {
  plain: (text) => [text, text.toLowerCase(), text.toUpperCase()],
  'UTF-16': (text) => [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()],
  'Latin 1': (text) => [Buffer.from(text, 'latin1')],
  'JSON with escapes': (text) => [JSON.stringify(text).slice(1, -1), escapeUnicode(text)],
  'JSON in JSON': (text) => [JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  URL: (text) => [encodeURIComponent(text), encodeURIComponent(text).replaceAll('%20', '+'), encodeURI(text)],
  'URL, all escaped': (text) => [percent(text, 'upper'), percent(text, 'lower')],
  hex: (text) => [hex(text), hex(text).toUpperCase()],
  'base64, first alignment': (text) => inBase64(text, 0),
  'base64, second alignment': (text) => inBase64(text, 1),
  'base64, third alignment': (text) => inBase64(text, 2),
}

const hex = (text: string) => Buffer.from(text).toString('hex')

function escapeUnicode(text: string): string {
  return [...text]
    .map((letter) => (letter > '~' ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter))
    .join('')
}

function percent(text: string, letterCase: 'upper' | 'lower'): string {
  const escaped = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return letterCase === 'upper' ? escaped.toUpperCase() : escaped
}

/** The characters of base64 that depend on the text alone when `before` bytes modulo 3 stand before it. */
function inBase64(text: string, before: 0 | 1 | 2): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
  const start = Math.ceil((before * 8) / 6)
  const length = Math.floor((bytes.length * 8) / 6) - start
  return [
    bytes.toString('base64').slice(start, start + length),
    bytes.toString('base64url').slice(start, start + length),
  ]
}

/** Looks for canaries in every form and encoding. */
export function createLeakSearch(canaries: readonly Canary[]): {
  /** Where the canaries are in this sink. */
  find(sink: string, content: string | Uint8Array): Leak[]
} {
  const needles = canaries.flatMap(({ name, forms }) =>
    forms.flatMap((form) =>
      Object.entries(encodings).flatMap(([encoding, write]) =>
        [...new Set(write(form).map((text) => Buffer.from(text as string).toString('latin1')))].map((text) => ({
          canary: name,
          encoding,
          needle: Buffer.from(text, 'latin1'),
        })),
      ),
    ),
  )
  return {
    find(sink, content) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
      return needles
        .filter(({ needle }) => bytes.includes(needle))
        .map(({ canary, encoding }) => ({ sink, canary, encoding }))
    },
  }
}
