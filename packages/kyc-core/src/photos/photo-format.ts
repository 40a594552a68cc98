/** Accepted photo formats. */
export type PhotoFormat = 'JPEG' | 'PNG' | 'WEBP' | 'HEIC'

/** Most bytes of one photo: 10 MB. */
export const MAX_PHOTO_BYTES = 10_000_000

/**
 * Major and compatible brands of HEIF files with HEVC pictures (ISO/IEC 23008-12, annex B). `mif1` and `msf1` are not
 * listed: AVIF files have them too.
 */
const heicBrands: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'])

/** Number of compatible brands to check. */
const maxBrandBytes = 256

/**
 * Detects the format of a photo from its first bytes; null for no accepted format. It decodes nothing, because hostile
 * pictures attack decoders, and it ignores the declared media type.
 *
 * @param bytes At least the first 256 bytes of the photo, or all of it.
 *
 * @example
 * ```ts
 * import { photoFormat } from '@kyc-relay/kyc-core/photos'
 *
 * photoFormat(new Uint8Array([0xff, 0xd8, 0xff, 0xe0])) // 'JPEG'
 * photoFormat(new TextEncoder().encode('<!doctype html>')) // null
 * ```
 */
export function photoFormat(bytes: Uint8Array): PhotoFormat | null {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'JPEG'
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'PNG'
  if (ascii(bytes, 0) === 'RIFF' && ascii(bytes, 8) === 'WEBP') return 'WEBP'
  return isHeic(bytes) ? 'HEIC' : null
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return bytes.length >= magic.length && magic.every((byte, index) => bytes[index] === byte)
}

/** Reads four bytes as text; fewer at the end. */
function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

/** `[size 4]ftyp[major brand 4][minor version 4][compatible brand 4]…` (ISO/IEC 14496-12, 4.3) */
function isHeic(bytes: Uint8Array): boolean {
  if (bytes.length < 12 || ascii(bytes, 4) !== 'ftyp') return false
  if (heicBrands.has(ascii(bytes, 8))) return true
  if (ascii(bytes, 8) !== 'mif1' && ascii(bytes, 8) !== 'msf1') return false
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
  const end = Math.min(size, bytes.length, maxBrandBytes)
  for (let at = 16; at + 4 <= end; at += 4) if (heicBrands.has(ascii(bytes, at))) return true
  return false
}
