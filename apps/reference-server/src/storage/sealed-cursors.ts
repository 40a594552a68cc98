import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { KycError, type VerificationStore } from '@kyc-relay/kyc-core'
import type { KeyFile } from '@kyc-relay/kyc-core/node'
import type { FeedStore, WebhookStore } from '@kyc-relay/webhooks/delivery'

const cipher = 'aes-256-gcm'
const [keyBytes, ivBytes, tagBytes] = [32, 12, 16]

/** Seals cursors for callers, and opens them. */
export interface CursorSeal {
  /** Returns the same text for the same cursor: those who poll compare them. */
  readonly seal: (cursor: string) => string
  /** Opens a sealed cursor. Any other text becomes an empty one, which no list accepts. */
  readonly open: (sealed: string) => string
}

/**
 * Creates the seal of cursors. A cursor of a store holds the place of a row among those of all apps. In clear it tells
 * an app how much the others do.
 */
export function createCursorSeal({ keys, activeFingerprintKeyId }: KeyFile): CursorSeal {
  const root = keys.find(({ id }) => id === activeFingerprintKeyId)?.key
  if (root === undefined) throw new KycError('KEY_FILE_INVALID')
  const derived = Buffer.from(hkdfSync('sha256', root, '', 'cursors', 2 * keyBytes))
  const [key, ivKey] = [derived.subarray(0, keyBytes), derived.subarray(keyBytes)]
  return {
    seal(cursor) {
      const iv = createHmac('sha256', ivKey).update(cursor).digest().subarray(0, ivBytes)
      const sealing = createCipheriv(cipher, key, iv)
      const text = [sealing.update(cursor, 'utf8'), sealing.final()]
      return Buffer.concat([iv, sealing.getAuthTag(), ...text]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      // Other notations of the same bytes are no cursor either.
      if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return ''
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes))
        opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
        return `${opening.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8')}${opening.final('utf8')}`
      } catch {
        return ''
      }
    },
  }
}

const sealedOrNull = ({ seal }: CursorSeal, cursor: string | null) => (cursor === null ? null : seal(cursor))

const opened = ({ open }: CursorSeal, cursor: string | undefined) =>
  cursor === undefined ? {} : { cursor: open(cursor) }

/** Returns the store with sealed cursors in the lists of a user's verifications. */
export function sealVerificationPages(store: VerificationStore, seal: CursorSeal): VerificationStore {
  return {
    ...store,
    async listVerifications(user, { cursor, ...request }) {
      const page = await store.listVerifications(user, { ...request, ...opened(seal, cursor) })
      return { ...page, cursors: page.cursors.map(seal.seal), nextCursor: sealedOrNull(seal, page.nextCursor) }
    },
  }
}

/** Returns the store with sealed cursors in the delivery log. */
export function sealDeliveryPages(store: WebhookStore, seal: CursorSeal): WebhookStore {
  return {
    ...store,
    async listDeliveries({ cursor, ...request }) {
      const page = await store.listDeliveries({ ...request, ...opened(seal, cursor) })
      return { ...page, nextCursor: sealedOrNull(seal, page.nextCursor) }
    },
  }
}

/** Returns the feed with sealed cursors. */
export function sealFeed(feed: FeedStore, seal: CursorSeal): FeedStore {
  return {
    ...feed,
    findCursor: async (request) => seal.seal(await feed.findCursor(request)),
    async listAfter({ cursor, ...request }) {
      const events = await feed.listAfter({ ...request, cursor: seal.open(cursor) })
      return events?.map((event) => ({ ...event, cursor: seal.seal(event.cursor) })) ?? null
    },
  }
}
