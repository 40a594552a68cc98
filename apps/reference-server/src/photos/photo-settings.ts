import * as z from 'zod'
import { optional, setting } from '../setting-types.js'
import type { S3Location } from './s3-photo-store.js'

/** Storage of fetched photos. */
export type PhotoStorage =
  { readonly kind: 'directory'; readonly folder: string } | ({ readonly kind: 's3' } & S3Location)

const bucketUrl = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/

/** A line break at the end of a key, as files have it, would make every request to the bucket fail. */
const accessKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .describe('ASCII characters, no white space')

/** Settings about photos. */
export const photoSettings = {
  PHOTO_STORAGE: optional(
    z.string().refine((text) => /^file:.+$/.test(text) || bucketUrl.test(text)),
    'Storage of sealed photos: file:<folder>, or s3://<bucket>/<prefix> of an S3-compatible store. Default: photos in DATA_DIR. Processes on several machines need a bucket.',
    { example: 'file:./data/photos', expected: 'file:<folder> or s3://<bucket>/<prefix>' },
  ),
  PHOTO_S3_ENDPOINT: optional(
    z.url({ protocol: /^https?$/ }).refine((text) => /^https?:\/\/[^/?#@]+\/?$/.test(text)),
    'For s3://. Default: AWS in the region. The path contains the bucket.',
    { example: 'https://s3.us-east-1.amazonaws.com', expected: 'an https:// address without a path' },
  ),
  PHOTO_S3_REGION: setting(
    z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .describe('lower-case letters, digits and hyphens, at most 40'),
    'us-east-1',
    'Region of the bucket.',
  ),
  PHOTO_S3_ACCESS_KEY_ID: optional(accessKey, 'Id of the access key to the bucket.'),
  PHOTO_S3_SECRET_ACCESS_KEY: optional(accessKey, 'The access key to the bucket.'),
} as const

/** Reads the storage from the variables, or all their problems. */
export function photoStorageOf(variables: {
  readonly NODE_ENV: string
  readonly DATA_DIR: string
  readonly PHOTO_STORAGE?: string | undefined
  readonly PHOTO_S3_ENDPOINT?: string | undefined
  readonly PHOTO_S3_REGION: string
  readonly PHOTO_S3_ACCESS_KEY_ID?: string | undefined
  readonly PHOTO_S3_SECRET_ACCESS_KEY?: string | undefined
}): PhotoStorage | readonly string[] {
  const storage = variables.PHOTO_STORAGE ?? `file:${variables.DATA_DIR}/photos`
  const [, bucket, prefix = ''] = bucketUrl.exec(storage) ?? []
  if (bucket === undefined) return { kind: 'directory', folder: storage.slice('file:'.length) }
  const { PHOTO_S3_REGION: region, PHOTO_S3_ACCESS_KEY_ID: accessKeyId } = variables
  const secretAccessKey = variables.PHOTO_S3_SECRET_ACCESS_KEY
  const endpoint = variables.PHOTO_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  // HTTPS is required although photos are sealed and requests are signed: an attacker could otherwise prevent storage.
  const isSecure = variables.NODE_ENV !== 'production' || endpoint.startsWith('https://')
  const problems = isSecure ? [] : ['PHOTO_S3_ENDPOINT: https:// is required in production. Use an https:// address.']
  if (accessKeyId === undefined || secretAccessKey === undefined)
    return [
      'PHOTO_S3_ACCESS_KEY_ID and PHOTO_S3_SECRET_ACCESS_KEY: required for PHOTO_STORAGE=s3://…. Set both.',
      ...problems,
    ]
  if (problems.length > 0) return problems
  return { kind: 's3', endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }
}
