import type { PhotoFormat, PhotoSide } from '@kyc-relay/kyc-core/internal'
import type { Context } from 'hono'
import * as z from 'zod'
import type { PhotoAnswer } from './read-evidence.js'

/** Schema of the side of a photo. */
export const photoSide = z.enum(['front', 'back', 'selfie'] satisfies PhotoSide[])

const mediaTypes: Readonly<Record<PhotoFormat, string>> = {
  JPEG: 'image/jpeg',
  PNG: 'image/png',
  WEBP: 'image/webp',
  HEIC: 'image/heic',
}

/** Answers an opened photo with its type, size and checksum. It is cached nowhere, and can run nothing. */
export function photoAnswer(c: Context, photo: Extract<PhotoAnswer, { readonly kind: 'found' }>): Response {
  return c.body(new Uint8Array(photo.bytes), 200, {
    'content-type': photo.format === null ? 'application/octet-stream' : mediaTypes[photo.format],
    'content-length': String(photo.bytes.byteLength),
    'repr-digest': `sha-256=:${photo.sha256}:`,
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
}
