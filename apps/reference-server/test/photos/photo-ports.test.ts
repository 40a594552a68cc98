import { parseSubmission } from '@kyc-relay/kyc-core'
import { isDownloadUrl } from '@kyc-relay/webhooks/internal'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { checkEndpointUrl } from '@kyc-relay/webhooks/https'
import { expect, it } from 'vitest'

const sides = ['front', 'back', 'selfie'] as const

it('a submission takes a photo at every port that photos are fetched from, and at no other', () => {
  const { verificationId, status, documentClass, documentNumber, issuingCountryCode } =
    sampleSubmission().verifications.document
  const document = { verificationId, status, documentClass, documentNumber, issuingCountryCode }
  const now = new Date('2026-01-05T12:00:00Z')
  const differing: number[] = []
  for (let first = 0; first <= 65_535; first += sides.length) {
    const urls = sides.map((_side, index) => `https://photos.example.com:${Math.min(first + index, 65_535)}/f`)
    const photos = Object.fromEntries(sides.map((side, index) => [side, urls[index]]))
    const verifications = { document: { ...document, photos } }
    const parsed = parseSubmission(sampleSubmission({ verifications, externalProviderData: null }), { now })
    const refused = parsed.ok ? [] : parsed.violations.map(({ pointer }) => pointer)
    for (const [index, side] of sides.entries()) {
      const taken = !refused.includes(`/verifications/document/photos/${side}`)
      if (taken !== checkEndpointUrl(urls[index] ?? '').ok) differing.push(first + index)
    }
  }
  expect(differing).toEqual([])
})

it.each([
  'https://photos.example.com/f',
  'https://photos.example.com./f#page',
  'https://photos.example.com/a%20b?x=1',
  'https://bücher.example.com/f',
  'https://photos.test/f',
  'https://photos.home.arpa/f',
  'https://photos.internal/f',
  'https://photos/f',
  'https://photos_1.example.com/f',
  'https://127.1/f',
  'https://[2001:db8::1]/f',
  'https://app.localhost/f',
])('a submission and the fetcher agree on %s', (front) => {
  const { verifications } = sampleSubmission()
  const parsed = parseSubmission(
    sampleSubmission({
      verifications: { ...verifications, document: { ...verifications.document, photos: { front } } },
    }),
    { now: new Date('2026-01-05T12:00:00Z') },
  )
  expect(parsed.ok).toBe(isDownloadUrl(front))
})
