// Every difference between the two that is meant: what, why, and exactly where. A difference that no row here knows fails
// the run; a row that nothing matched is told, so that the list does not outlive its reasons.
//
// `matches` gets the difference, `{ kind, command, at, before, now }` (the kind of the command, the command, a JSON Pointer
// into what was observed, and both values), and with `was` and `is` the whole of what each version answered. `tally` counts
// commands of the run. proof/old-and-new.test.mjs shows for each row a neighbour that it does not excuse.

const kindsAudited = [
  'ACCESS_TOKEN_ISSUED',
  'API_KEY_RETIRED',
  'APP_CREATED',
  'ENDPOINT_REGISTERED',
  'ENDPOINT_REMOVED',
  'GRANT_GIVEN',
  'GRANT_NARROWED',
  'GRANT_REVOKED',
  'SIGNED_IN',
]

const securityHeader = /^(?:\/(?:opened|posted))?\/headers\/(?:strict-transport-security|x-content-type-options)$/

const fixedText = /\/(?:(?:errors|violations|warnings)\/\d+\/message|body\/(?:title|detail))$/

const newField =
  /^\/(?:body(?:\/items\/\d+)?|[^/]+\/detail)\/(?:description|state|pausedBy|failingSince|lastSuccessAt|headerNames|httpStatus|latencyMs|replaces)$/

/** What an erasure keeps, in the words of this version. */
const keptTexts = [
  'Of verifications: both ids, ids of sections, provider names, decisions, country codes, section and check outcomes, decline codes, instants, whether an SSN was validated, tokens of document numbers, and the answer of a replay.',
  'The KYC status and its log. Corrections of it, with actors and reasons as operators gave them.',
  'Sealed parts of verifications, which nothing can open: their data key is destroyed.',
  'Grants with account id and external reference: revoke them with DELETE /internal/v1/grants/{appId}/{userId}.',
  'Events and deliveries without bodies: ids, types, instants, sourceEventId. Attempts without answers: addresses, times, statuses and headers. States of transactions without fields.',
  'Ids of photo jobs and their states. Access tokens as hashes, until retention removes them.',
  'The time of this erasure.',
  'Audit entries: ids, actors, reasons and purposes as operators gave them, and HMACs whose keys are destroyed.',
  'Backups and files outside the service, as long as they are kept.',
]

/** Rows of the earlier table that are judged in another way now, and the pointer and code that only one version tells. */
const rejudgedRows = [
  { what: /^"2026-01-05T10:00:00 Z"$/, earlier: '/decisionedAt DATE_INVALID' },
  { what: /^a line break$/, earlier: '/person/address/streetLine1 CONTROL_CHARACTER' },
  { what: /^photo https:\/\/bücher\.example\/f$/, later: '/verifications/document/photos/front PHOTO_URL_INVALID' },
]

const errorCode = (answer) => answer?.body?.errors?.[0]?.extensions?.code

const isLocation = ({ line, column, ...others }) =>
  Object.keys(others).length === 0 && [line, column].every((one) => Number.isInteger(one) && one > 0)

export const intendedDifferences = [
  {
    why: 'Endpoints tell their description, header names, state, pause and health; deliveries their last answer.',
    matches: ({ at, before }) => newField.test(at) && before === undefined,
  },
  {
    why: 'The list of API keys calls the state of a key `state`.',
    matches: ({ command, at, before, now }, { is }) => {
      const [, index] = /^\/body\/items\/(\d+)\/standing$/.exec(at) ?? []
      return command?.path === '/api/v1/webhooks/keys' && now === undefined && before === is.body?.items?.[index]?.state
    },
  },
  {
    why: 'A registration warns of what a partner should know. It registers all the same.',
    matches: ({ command, at, before, now }, { is }) =>
      command?.method === 'POST' &&
      command.path === '/api/v1/webhooks' &&
      at === '/body/warnings' &&
      before === undefined &&
      Array.isArray(now) &&
      is.status === 201,
  },
  {
    why: 'A known sourceEventId with other content is refused.',
    matches: ({ kind, command }, { was, is }) =>
      kind === 'event' &&
      command.hasOtherContent === true &&
      was.body?.duplicate === true &&
      is.status === 409 &&
      is.body.code === 'SOURCE_EVENT_ID_CONFLICT',
  },
  {
    why: 'Every answer carries HSTS and nosniff.',
    matches: ({ at, before, now }) =>
      securityHeader.test(at) && before === undefined && ['max-age=31536000', 'nosniff'].includes(now),
  },
  {
    why: 'Of the earlier table, a space before Z and a line break in an address are accepted, and a reserved host of a photo is refused.',
    matches: ({ kind, at, before, now }) =>
      kind === 'earlierCase' &&
      rejudgedRows.some(
        ({ what, earlier, later }) =>
          what.test(at.slice(at.lastIndexOf(': ') + 2)) && saysAlone(before, earlier) && saysAlone(now, later),
      ),
  },
  {
    why: 'No cache may store an answer of the internal API.',
    matches: ({ command, at, before, now }) =>
      command?.path?.startsWith('/internal/v1/') === true &&
      at === '/headers/cache-control' &&
      before === undefined &&
      now === 'no-store',
  },
  {
    why: 'A replay also matches with another offset of the decision, and with an empty text for an absent one.',
    matches: ({ kind, command, at, before, now }) =>
      kind === 'replay' &&
      command.isNewSpelling === true &&
      at === '/body/extensions/idempotency/payloadMatches' &&
      before === false &&
      now === true,
  },
  {
    why: 'A narrowed grant limits live tokens: a submission under it is refused, and so not recorded.',
    matches: ({ kind, command, at, before, now }, { is, tally }) =>
      (kind === 'narrowedGrant' && command.path === '/api/v1/graphql' && errorCode(is) === 'FORBIDDEN') ||
      (kind === 'end' && at === '/audit/kinds/VERIFICATION_RECORDED' && before - now === tally.narrowed),
  },
  {
    why: 'Tokens, grants, endpoints, sign-ins, new apps and retired keys are audit entries.',
    matches: ({ kind, at, before }) =>
      kind === 'end' && before === undefined && kindsAudited.some((one) => at === `/audit/kinds/${one}`),
  },
  {
    why: 'An erasure is an audit entry before its first step, so that one that a crash cut off is known.',
    matches: ({ kind, at, before, now }, { tally }) =>
      kind === 'end' && at === '/audit/kinds/ERASURE_STARTED' && before === undefined && now === tally.erased,
  },
  {
    why: 'A user who has only events or transactions has a data key too, so the erasure of that user is an audit entry.',
    matches: ({ kind, at, before, now }, { tally }) =>
      kind === 'end' && at === '/audit/kinds/OWNER_ERASED' && before < now && now <= tally.erased,
  },
  {
    why: 'A dry run says when the id belongs to another user.',
    matches: ({ kind, at }, { was, is }) =>
      kind === 'dryRun' &&
      /^\/body\/data\/validateKycVerification\/(?:valid$|violations\/)/.test(at) &&
      saysConflictAlone(was.body?.data?.validateKycVerification, is.body?.data?.validateKycVerification),
  },
  {
    why: 'Each try of a photo opens its sealed URL. How many tries fall into the run depends on its length.',
    matches: ({ kind, at }) => kind === 'end' && at === '/audit/kinds/VALUE_REVEALED',
  },
  {
    why: 'The report of an erasure names everything that is kept.',
    matches: ({ kind, at, now }) => kind === 'erasure' && /^\/body\/kept\/\d$/.test(at) && keptTexts.includes(now),
  },
  {
    why: 'An error of GraphQL syntax or validation says where it is.',
    matches: ({ at, before, now }, { is }) =>
      /^\/body\/errors\/\d+\/locations$/.test(at) &&
      before === undefined &&
      ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'].includes(errorCode(is)) &&
      Array.isArray(now) &&
      now.every(isLocation),
  },
  {
    why: 'A cursor that is none is refused with the id of the request, and lists no violations.',
    // The kind of the command does not tell: some kinds read a page where they find nothing to do.
    matches: ({ command, at, before, now }, { was, is }) =>
      command?.body?.includes('kycVerifications(first: $first, after: $after)') === true &&
      [was, is].every((one) => errorCode(one) === 'BAD_REQUEST') &&
      before === undefined &&
      ((at === '/body/errors/0/extensions/requestId' && now === '<requestId>') ||
        (at === '/body/errors/0/extensions/violations' && JSON.stringify(now) === '[]')),
  },
  {
    why: 'A resend says that the body is gone. It said that there is no such delivery.',
    matches: ({ kind, at }, { was, is }) =>
      kind === 'resend' &&
      /^\/(?:status|body\/(?:status|code|detail))$/.test(at) &&
      was.status === 404 &&
      was.body?.code === 'NOT_FOUND' &&
      is.status === 409 &&
      is.body?.code === 'BAD_REQUEST' &&
      is.body.detail === 'BODY_BLANKED',
  },
  {
    why: 'A refusal of the API says how much of the rate limit is left, as every other answer does.',
    matches: ({ at, before, now }, { is }) =>
      /^\/headers\/ratelimit(?:-policy)?$/.test(at) && before === undefined && now !== undefined && is.status >= 400,
  },
  {
    why: 'The explanations of attempts were rewritten. The causes that they explain are compared by their codes.',
    matches: ({ at, before, now }) =>
      /\/attempts\/\d+\/explanation\/(?:cause|nextStep)$/.test(at) && [before, now].every(isText),
  },
  {
    why: 'Fixed texts of problems, errors, violations and warnings were rewritten. Their codes are equal.',
    matches: ({ at, before, now }) => fixedText.test(at) && [before, now].every(isText),
  },
]

const namesOf = (violations) => violations.map(({ pointer, code }) => `${pointer} ${code}`)

/** Whether a dry run lists this violation alone, or none, and no warning. */
function saysAlone({ violations, warnings } = {}, violation) {
  const expected = violation === undefined ? [] : [violation]
  return JSON.stringify([namesOf(violations ?? []), warnings]) === JSON.stringify([expected, []])
}

/** Whether this version lists the conflict of the id, and then what the earlier version lists. */
function saysConflictAlone(was, is) {
  if (was == null || is?.valid !== false) return false
  const expected = ['/externalVerificationId EXTERNAL_VERIFICATION_ID_CONFLICT', ...namesOf(listedNow(was.violations))]
  return JSON.stringify(namesOf(is.violations)) === JSON.stringify(expected)
}

function isText(value) {
  return typeof value === 'string' && value !== ''
}

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
