import type { JsonObject } from './json-value.js'
import { isPhotoUrl } from './photo-url.js'
import type { RuleContext } from './rule-context.js'

const SECTIONS = ['document', 'ssn', 'database'] as const

/** Checks the rules for sections, photos and scores. */
export function checkVerifications(context: RuleContext): void {
  const { text, number, isPresent, isPhotoUrlAllowed, refuse, warn, policy } = context
  if (isPresent('/verifications') && !SECTIONS.some((name) => isPresent(`/verifications/${name}`))) {
    refuse('/verifications', 'NO_VERIFICATION_SECTION')
  }
  const document = '/verifications/document'
  for (const side of ['front', 'back', 'selfie']) {
    const url = text(`${document}/photos/${side}`)
    if (url !== undefined && !(isPhotoUrl(url, policy.allowLoopbackPhotos) && isPhotoUrlAllowed(url))) {
      refuse(`${document}/photos/${side}`, 'PHOTO_URL_INVALID')
    }
  }
  const score = number(`${document}/confidenceScore`)
  if (score !== undefined && score > 0 && score < 1) warn(`${document}/confidenceScore`, 'CONFIDENCE_SCALE_SUSPECT')
  checkEvidence(context)
}

/** The provider decides. Contradicting evidence is recorded as sent, with a warning. */
function checkEvidence({ text, array, warn }: RuleContext): void {
  if (text('/decision') !== 'PASSED') return
  const contradicts = SECTIONS.some(
    (name) =>
      text(`/verifications/${name}/status`) === 'FAILED' ||
      array(`/verifications/${name}/checks`).some((check) => (check as JsonObject | null)?.['status'] === 'FAILED'),
  )
  if (contradicts) warn('/decision', 'DECISION_EVIDENCE_MISMATCH')
}
