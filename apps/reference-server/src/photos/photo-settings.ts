import { z } from 'zod'
import type { S3Location } from './s3-photo-store.js'

/** Where fetched photos are kept. */
export type PhotoStorage =
  { readonly kind: 'directory'; readonly folder: string } | ({ readonly kind: 's3' } & S3Location)

const bucketUrl = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/

/** Variables of the environment about photos. */
export const photoVariables = {
  PHOTO_STORAGE: z
    .string()
    .refine((text) => /^file:.+$/.test(text) || bucketUrl.test(text))
    .optional(),
  PHOTO_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine((text) => /^https?:\/\/[^/?#@]+\/?$/.test(text))
    .optional(),
  PHOTO_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default('us-east-1'),
  PHOTO_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  PHOTO_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
}

/** The storage that the variables name, or the problem with them. */
export function photoStorageOf(variables: {
  readonly NODE_ENV: string
  readonly DATA_DIR: string
  readonly PHOTO_STORAGE?: string | undefined
  readonly PHOTO_S3_ENDPOINT?: string | undefined
  readonly PHOTO_S3_REGION: string
  readonly PHOTO_S3_ACCESS_KEY_ID?: string | undefined
  readonly PHOTO_S3_SECRET_ACCESS_KEY?: string | undefined
}): PhotoStorage | string {
  const storage = variables.PHOTO_STORAGE ?? `file:${variables.DATA_DIR}/photos`
  const [, bucket, prefix = ''] = bucketUrl.exec(storage) ?? []
  if (bucket === undefined) return { kind: 'directory', folder: storage.slice('file:'.length) }
  const { PHOTO_S3_REGION: region, PHOTO_S3_ACCESS_KEY_ID: accessKeyId } = variables
  const secretAccessKey = variables.PHOTO_S3_SECRET_ACCESS_KEY
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return 'PHOTO_S3_ACCESS_KEY_ID and PHOTO_S3_SECRET_ACCESS_KEY: required for PHOTO_STORAGE=s3://…'
  }
  const endpoint = variables.PHOTO_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`
  // The photos are sealed, the credentials are not: they sign, but a listener could keep photos from being stored.
  if (variables.NODE_ENV === 'production' && !endpoint.startsWith('https://')) {
    return 'PHOTO_S3_ENDPOINT: https:// is required in production'
  }
  return { kind: 's3', endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }
}
