import type { ReceiverFramework } from '../../receiver/raw-body.js'
import type { Diagnosis, ExplainableRequest, MismatchCause } from '../explain-mismatch.js'
import { headerValue } from '../headers.js'
import { signedBytes, usableSecrets, type WebhookBody } from '../signed-request.js'
import { WebhookVerificationError } from '../verification-error.js'
import { verifyWebhook } from '../verify-webhook.js'
import { bodyVariants } from './body-variants.js'
import { fixFor } from './fixes.js'
import { inspectLostBody, inspectParsedBody } from './lost-bodies.js'
import { createProbe, type Probe } from './probe.js'
import { secretVariants } from './secret-variants.js'
import { inspectSignature } from './signature-forms.js'

const largestBody = 65_536
const mostProbesPerSecret = 24
const mostSecrets = 3

/** A diagnosis without its fix. */
type Finding = Pick<Diagnosis, 'cause' | 'confidence' | 'evidence'>

async function refusalOf(request: ExplainableRequest): Promise<WebhookVerificationError | null> {
  try {
    const { body, headers, secrets } = request
    await verifyWebhook({ body: body as WebhookBody, headers, secrets })
    return null
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error
    throw error
  }
}

/** Implements `explainMismatch`. */
export async function diagnose(
  request: ExplainableRequest,
  rawBodyLine: (framework: ReceiverFramework) => string,
): Promise<Diagnosis | null> {
  const refusal = await refusalOf(request)
  if (refusal === null) return null

  const keys = refusal.code === 'SECRET_MISSING' ? [] : usableSecrets(request.secrets).slice(0, mostSecrets)
  const signature = headerValue(request.headers, 'x-hmac-signature') ?? ''
  const form = inspectSignature(signature)
  const probe = createProbe(form ? (form.digest ?? '') : signature, mostProbesPerSecret * keys.length)
  const finding = await find(request, refusal, keys, form, probe)
  const line = request.framework && rawBodyLine(request.framework)
  return { ...finding, fix: fixFor(finding.cause, line), probes: probe.count() }
}

async function find(
  request: ExplainableRequest,
  refusal: WebhookVerificationError,
  keys: readonly string[],
  form: ReturnType<typeof inspectSignature>,
  probe: Probe,
): Promise<Finding> {
  if (refusal.code === 'BODY_ALREADY_PARSED') return proved(refusal.code, inspectParsedBody(request.body))
  if (refusal.code !== 'SIGNATURE_MALFORMED' && refusal.code !== 'SIGNATURE_MISMATCH') {
    return proved(refusal.code, refusal.message)
  }
  const body = signedBytes(request.body as WebhookBody)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (bytes.length > largestBody) {
    const evidence = `The body has ${bytes.length} bytes; the limit of the diagnosis is ${largestBody}.`
    return { cause: 'BODY_TOO_LARGE_TO_PROBE', confidence: 'none', evidence }
  }
  if (form) {
    for (const key of keys) if (await probe.matches(bytes, key)) return proved(form.cause, form.evidence)
    return { cause: form.cause, confidence: 'probable', evidence: form.evidence }
  }
  return (
    (await probeSecrets(bytes, keys, request.otherSecrets ?? [], probe)) ??
    (await probeBodies(bytes, keys, probe)) ??
    inspectLostBody(bytes, headerValue(request.headers, 'content-length')) ?? {
      cause: 'UNEXPLAINED',
      confidence: 'none',
      evidence: 'No common change to the body or the secret explains the mismatch.',
    }
  )
}

async function probeSecrets(
  bytes: Uint8Array,
  keys: readonly string[],
  otherSecrets: readonly (string | undefined)[],
  probe: Probe,
): Promise<Finding | null> {
  for (const key of keys) {
    for (const { cause, evidence, key: variant } of secretVariants(key)) {
      if (variant.length > 0 && (await probe.matches(bytes, variant))) return proved(cause, evidence)
    }
  }
  for (const [index, other] of otherSecrets.slice(0, mostSecrets).entries()) {
    if (other && (await probe.matches(bytes, other))) {
      return proved('SECRET_OTHER', `Number ${index + 1} of the other secrets signed it, not the given secret.`)
    }
  }
  return null
}

async function probeBodies(bytes: Uint8Array, keys: readonly string[], probe: Probe): Promise<Finding | null> {
  for (const { cause, evidence, body } of bodyVariants(bytes)) {
    for (const key of keys) if (await probe.matches(body, key)) return proved(cause, evidence)
  }
  return null
}

function proved(cause: MismatchCause, evidence: string): Finding {
  return { cause, confidence: 'proved', evidence }
}
