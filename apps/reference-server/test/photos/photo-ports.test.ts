import { parseSubmission } from '@kyc-relay/kyc-core'
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
