import { describe, expect, test } from 'vitest'
import { photoFormat } from '@kyc-relay/kyc-core/photos'

const text = (value: string) => new TextEncoder().encode(value)
const hex = (value: string) => new Uint8Array(Buffer.from(value.replaceAll(' ', ''), 'hex'))
const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
/** A file type box: its size, `ftyp`, the major brand, a minor version, compatible brands. */
const ftyp = (major: string, ...compatible: string[]) =>
  joined(
    new Uint8Array([0, 0, 0, 16 + compatible.length * 4]),
    text(`ftyp${major}`),
    hex('00000000'),
    text(compatible.join('')),
  )

describe('the first bytes say which format it is', () => {
  test.each([
    ['JPEG with a JFIF header', hex('ffd8ffe0 0010 4a464946'), 'JPEG'],
    ['JPEG with an Exif header', hex('ffd8ffe1 0010'), 'JPEG'],
    ['JPEG that begins with a table', hex('ffd8ffdb'), 'JPEG'],
    ['PNG', hex('89504e470d0a1a0a 0000000d'), 'PNG'],
    ['WebP', joined(text('RIFF'), hex('10000000'), text('WEBPVP8 ')), 'WEBP'],
    ['HEIC', ftyp('heic', 'mif1', 'heic'), 'HEIC'],
    ['HEIC with a ten-bit brand', ftyp('heix'), 'HEIC'],
    ['HEIC under the common brand', ftyp('mif1', 'miaf', 'heic'), 'HEIC'],
    ['HEIC sequence under the common brand', ftyp('msf1', 'hevc'), 'HEIC'],
  ] as const)('%s', (_name, bytes, format) => {
    expect(photoFormat(bytes)).toBe(format)
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['an HTML page', text('<!doctype html><title>Sign in</title>')],
    ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['GIF', text('GIF89a......')],
    ['PDF', text('%PDF-1.7')],
    ['two bytes of JPEG', hex('ffd8')],
    ['JPEG after a blank', hex('20ffd8ffe0')],
    ['PNG whose line ends were changed', hex('89504e470a1a0a00')],
    ['PNG cut off', hex('89504e470d0a1a')],
    ['RIFF that holds sound', joined(text('RIFF'), hex('10000000'), text('WAVEfmt '))],
    ['RIFF cut off', text('RIFF....WEB')],
    ['AVIF', ftyp('avif', 'mif1', 'miaf')],
    ['AVIF under the common brand', ftyp('mif1', 'avif', 'miaf')],
    ['MP4', ftyp('isom', 'mp42')],
    ['a brand beyond the box', joined(ftyp('mif1', 'miaf'), text('heic'))],
    ['a brand that is not at its place', joined(ftyp('mif1'), text('xxheicxx'))],
    ['a box that says it has no end', joined(hex('00000000'), text('ftypmif1'), hex('00000000'), text('heic'))],
    ['a box that ends inside its brand', joined(hex('00000010'), text('ftyphei'))],
  ])('%s is none of them', (_name, bytes) => {
    expect(photoFormat(bytes)).toBe(null)
  })

  test('looks at a bounded part of a box that claims to be endless', () => {
    const brands = Array.from({ length: 100 }, () => 'miaf')
    expect(photoFormat(ftyp('mif1', ...brands.slice(0, 50), 'heic'))).toBe('HEIC')
    const endless = joined(hex('ffffffff'), text('ftypmif1'), hex('00000000'), text([...brands, 'heic'].join('')))
    expect(photoFormat(endless)).toBe(null)
  })

  test('reads a part of a larger buffer as if it stood alone', () => {
    const whole = joined(hex('ffd8ffe0'), ftyp('mif1', 'heic'), hex('00'))
    expect(photoFormat(whole.subarray(4))).toBe('HEIC')
  })
})
