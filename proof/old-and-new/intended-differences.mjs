// Every difference between the two that is meant, with its reason. A difference that no row here knows fails the run; a row
// that nothing matched is told, so that the list does not outlive its reasons.
//
// `matches` gets `{ kind, at, before, now }`: the kind of the command, a JSON Pointer into what was observed, and both values.

const audited =
  /^\/audit\/kinds\/(?:ACCESS_TOKEN_ISSUED|ENDPOINT_REGISTERED|ENDPOINT_REMOVED|GRANT_GIVEN|GRANT_NARROWED|GRANT_REVOKED|SIGNED_IN)$/

const securityHeader = /\/headers\/(?:strict-transport-security|x-content-type-options)$/

const fixedText = /\/(?:(?:errors|violations|warnings)\/\d+\/message|body\/(?:title|detail))$/

const newField =
  /\/(?:warnings|description|state|pausedBy|failingSince|lastSuccessAt|headerNames|httpStatus|latencyMs|replaces)$/

/** What an answer to an event gains and loses when it becomes a refusal. */
const problemField = /^\/(?:headers\/cache-control|body\/(?:type|title|status|code|detail|requestId))$/
const eventField = /^\/body\/(?:eventId|duplicate|deliveries|withheld)(?:\/.*)?$/

export const intendedDifferences = [
  {
    why: 'Endpoints tell their description, header names, state, pause and health; deliveries their last answer; a registration warns.',
    matches: ({ at, before }) => newField.test(at) && before === undefined,
  },
  {
    why: 'A known sourceEventId with other content is refused.',
    matches: ({ kind, at, before, now }) =>
      kind === 'event' &&
      ((at === '/status' && now === 409) ||
        now === 'SOURCE_EVENT_ID_CONFLICT' ||
        (problemField.test(at) && before === undefined) ||
        (eventField.test(at) && now === undefined) ||
        (at === '/headers/content-type' && String(now).startsWith('application/problem+json'))),
  },
  {
    why: 'Every answer carries HSTS and nosniff.',
    matches: ({ at, before, now }) =>
      securityHeader.test(at) && before === undefined && ['max-age=31536000', 'nosniff'].includes(now),
  },
  {
    why: 'A violation names the object that has an unknown field, not the field: its name may be personal data.',
    matches: ({ at, before, now }) =>
      /\/violations(?:\/\d+(?:\/(?:pointer|message|code))?)?$/.test(at) && isUnknownField(before, now),
  },
  {
    why: 'A narrowed grant limits live tokens: a submission under it is refused, and so not recorded.',
    matches: ({ kind, at, before, now }) =>
      kind === 'narrowedGrant' || (kind === 'end' && at === '/audit/kinds/VERIFICATION_RECORDED' && now < before),
  },
  {
    why: 'Tokens, grants, endpoints and sign-ins are audit entries.',
    matches: ({ kind, at, before }) => kind === 'end' && audited.test(at) && before === undefined,
  },
  {
    why: 'Each try of a photo opens its sealed URL. How many tries fall into the run depends on its length.',
    matches: ({ kind, at }) => kind === 'end' && at === '/audit/kinds/VALUE_REVEALED',
  },
  {
    why: 'A refusal of the API says how much of the rate limit is left, as every other answer does.',
    matches: ({ at, before, now }) =>
      /\/headers\/ratelimit(?:-policy)?$/.test(at) && before === undefined && now !== undefined,
  },
  {
    why: 'The explanations of attempts were rewritten. The causes that they explain are compared by their codes.',
    matches: ({ at }) => /\/attempts\/\d+\/explanation\/(?:cause|nextStep)$/.test(at),
  },
  {
    why: 'Fixed texts of problems, errors, violations and warnings were rewritten. Their codes are equal.',
    matches: ({ at, before, now }) =>
      fixedText.test(at) && [before, now].every((text) => typeof text === 'string' && text !== ''),
  },
]

/**
 * An answer of the earlier version with its violations as this version lists them: an unknown field is a violation of the
 * object around it, each pointer has one violation, and unknown fields come last. Only their texts still differ.
 */
export function asListedNow(given) {
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map(asListedNow)
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    key === 'violations' && Array.isArray(value) ? listedNow(value) : asListedNow(value),
  ])
  return Object.fromEntries(entries)
}

/** The earlier version already named the object where the name of the field was not safe to repeat. */
const isObject = /(?:^|\/(?:person|address|verifications|document|ssn|database|\d+))$/
const parentOf = (pointer) => pointer.slice(0, pointer.lastIndexOf('/'))

function listedNow(violations) {
  const isUnknown = ({ code }) => code === 'UNKNOWN_FIELD'
  const known = violations.filter((one) => !isUnknown(one))
  const unknown = violations
    .filter(isUnknown)
    .map((one) => (isObject.test(one.pointer) ? one : { ...one, pointer: parentOf(one.pointer) }))
  const seen = new Set(known.map(({ pointer }) => pointer))
  return [...known, ...unknown.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer))]
}

function isUnknownField(before, now) {
  const texts = [before, now].map((one) => JSON.stringify(one) ?? '')
  if (texts[0].includes('UNKNOWN_FIELD') || texts[0].includes('not part of the contract')) return true
  if (texts[0].includes('has no such field')) return true
  const [was, is] = [before, now].map(String)
  return was.startsWith('/') && is === was.slice(0, was.lastIndexOf('/'))
}
