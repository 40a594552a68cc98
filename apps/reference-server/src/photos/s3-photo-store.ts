import { AwsClient } from 'aws4fetch'
import { KycError, type AppUser } from '@kyc-relay/kyc-core'
import type { PhotoStore } from '@kyc-relay/kyc-core/photos'
import { sha256 } from '../sha256.js'
import { photoName } from './directory-photo-store.js'

/** Location of photos in an S3-compatible store. */
export interface S3Location {
  /**
   * URL of the store, for example `https://s3.eu-central-1.amazonaws.com`. The bucket is the first part of the path.
   */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Prefix of every name, without slashes at its ends; may be empty. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const erasedAtOnce = 8

/**
 * Creates a photo store in one bucket. It needs `s3:PutObject`, `s3:GetObject` and `s3:DeleteObject` on the prefix. It
 * lists nothing, but without `s3:ListBucket` AWS answers 403 for a missing photo, which looks like a store out of order.
 *
 * @param requestTimeoutMs Time limit of one request. Stopping the server waits for it.
 */
export function createS3PhotoStore(location: S3Location, requestTimeoutMs = 20_000): PhotoStore {
  const { endpoint, bucket, prefix, ...credentials } = location
  // The worker retries, because it checks the lease.
  const client = new AwsClient({ ...credentials, service: 's3', retries: 0 })

  const urlOf = (owner: AppUser, photoJobId: string) => {
    const key = [bucket, ...prefix.split('/'), photoName(owner, photoJobId)].filter((part) => part !== '')
    return new URL(`/${key.map(encodeURIComponent).join('/')}`, endpoint).href
  }

  async function request(method: 'PUT' | 'GET' | 'DELETE', url: string, body?: Uint8Array): Promise<Response> {
    try {
      return await client.fetch(url, {
        method,
        // Needed so that the signature covers the body.
        headers: { 'x-amz-content-sha256': sha256(body ?? '').toString('hex') },
        redirect: 'error',
        signal: AbortSignal.timeout(requestTimeoutMs),
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      })
    } catch {
      throw new KycError('PHOTO_STORE_UNAVAILABLE')
    }
  }

  async function erase(owner: AppUser, photoJobId: string): Promise<void> {
    await expectStatus(await request('DELETE', urlOf(owner, photoJobId)), [200, 204, 404])
  }

  return {
    async put({ owner, photoJobId }, sealed) {
      await expectStatus(await request('PUT', urlOf(owner, photoJobId), sealed), [200])
    },
    async get({ owner, photoJobId }) {
      const response = await request('GET', urlOf(owner, photoJobId))
      if (response.status === 404 && (await isMissingObject(response))) return null
      if (response.status !== 200) await expectStatus(response, [])
      try {
        return new Uint8Array(await response.arrayBuffer())
      } catch {
        throw new KycError('PHOTO_STORE_UNAVAILABLE')
      }
    },
    async erase(owner, photoJobIds) {
      for (let start = 0; start < photoJobIds.length; start += erasedAtOnce) {
        const some = photoJobIds.slice(start, start + erasedAtOnce)
        await Promise.all(some.map((photoJobId) => erase(owner, photoJobId)))
      }
    },
  }
}

/** Detects a missing bucket, which is a wrong setting and not a missing photo. */
async function isMissingObject(response: Response): Promise<boolean> {
  return (await response.text().catch(() => '')).includes('NoSuchKey')
}

/** Drops the error body of the store, which can hold names and keys. */
async function expectStatus(response: Response, statuses: readonly number[]): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
  if (!statuses.includes(response.status)) throw new KycError('PHOTO_STORE_UNAVAILABLE')
}
