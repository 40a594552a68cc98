const retries = 'packages/webhooks/src/delivery/retry-schedule.ts'
const hmac = 'packages/webhooks/src/signature/hmac.ts'
const addresses = 'packages/webhooks/src/https/address-policy.ts'
const urls = 'packages/webhooks/src/https/endpoint-url.ts'

/** What an overflow changes is never one part of a date alone. */
const overflow = 'A part that overflows changes the next larger part too, whose comparison is still there.'
const otherRuntimes = 'Without `node:crypto` only: the tests of other runtimes are processes of their own.'

const calendar = 'packages/kyc-core/src/submission/calendar-date.ts'
const cards = 'packages/kyc-core/src/submission/card-number.ts'
const dates = 'packages/kyc-core/src/submission/date-rules.ts'
const [parsing, context, verificationRules] = ['parse-submission', 'rule-context', 'verification-rules'].map(
  (name) => `packages/kyc-core/src/submission/${name}.ts`,
)
const addressRules = 'packages/kyc-core/src/submission/address-rules.ts'
const hasViolation = 'A field that is absent or no text has a violation, and a second one of the same field is dropped.'
const sameAgain = 'A pointer has one violation, the first: what is added again changes nothing.'
const cache = 'The map only remembers: a day that is not in it is made again, with the same text.'
const ofUndefined = 'A comparison of undefined with a text is false, so the branch is not taken either way.'
/** A text in place of a default that no input reaches. */
const unreached = { original: "''", replacement: '"Stryker was here!"' }

/**
 * Mutants that may survive, each with the reason. A mutant that is not here is a violation. `within` is a part of the line, for a
 * text that has several places.
 */
export const explained = [
  {
    file: 'packages/kyc-core/src/status/decline-codes.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'A text has no `status`, so the next step drops it.',
  },
  {
    file: 'packages/webhooks/src/delivery/delivery-state.ts',
    original: 'report.cause !== null',
    replacement: 'true',
    why: 'The set of causes that cancel does not hold null. The comparison is for the type.',
  },
  ...[
    'readBack.getUTCMonth() === month',
    'readBack.getUTCDate() === day',
    'readBack.getUTCHours() === hour',
    'readBack.getUTCMinutes() === minute',
    'readBack.getUTCSeconds() === second',
  ].map((original) => ({ file: retries, original, replacement: 'true', why: overflow })),
  {
    file: hmac,
    original: 'nodeHmacParts()?.crypto',
    replacement: 'nodeHmacParts().crypto',
    why: otherRuntimes,
  },
  { file: hmac, original: '!node', replacement: 'false', why: otherRuntimes },
  { file: addresses, ...unreached, within: "text.split('/')", why: 'Each block of the file has a slash.' },
  { file: addresses, ...unreached, within: 'halves[1]', why: '`split` gives at least one part.' },
  {
    file: addresses,
    original: 'block.bytes.length !== bytes.length',
    replacement: 'false',
    why: 'An IPv4 address is compared with a block of IPv6 only in `canonicalBytes`, and that block has bytes after the fourth.',
  },
  {
    file: addresses,
    original: 'bit < block.bits',
    replacement: 'bit <= block.bits',
    why: 'The mask of no bits is 0, so one more byte is always the same.',
  },
  {
    file: addresses,
    original: 'block.bits - bit >= 8',
    replacement: 'block.bits - bit > 8',
    why: 'Both branches give 0xff for eight bits.',
  },
  ...[
    ["{ caPem: '' }", '{}'],
    ["''", '"Stryker was here!"'],
  ].map(([original, replacement]) => ({
    file: urls,
    original,
    replacement,
    within: 'caPem',
    why: 'Only whether the option is set counts here. The certificate is used by the connection.',
  })),
  ...[
    ['false', 'true'],
    ['[]', '["Stryker was here"]'],
  ].map(([original, replacement]) => ({
    file: urls,
    original,
    replacement,
    within: 'ownHosts = [], maxLength = 1',
    why: 'A default stands for an absent setting, of which the type alone is checked here.',
  })),
  {
    file: urls,
    original: '/^https:\\/\\/([^/?#]*)/i.exec(url)?.[1]',
    replacement: '/^https:\\/\\/([^/?#]*)/i.exec(url)[1]',
    why: 'The spelling was checked before, so the expression always matches.',
  },
  {
    file: urls,
    original: '/^https:\\/\\/([^/?#]*)/i',
    replacement: '/https:\\/\\/([^/?#]*)/i',
    why: 'The spelling was checked before, so the first match is at the beginning.',
  },
  { file: urls, ...unreached, within: 'exec(url)', why: 'The expression always matches.' },
  { file: urls, ...unreached, within: 'labels.at(-1)', why: '`split` gives at least one part.' },
  {
    file: urls,
    original: "hostname.startsWith('[')",
    replacement: "hostname.endsWith('[')",
    why: 'A name in brackets is no public name, which the next check refuses with the same code.',
  },
  {
    file: urls,
    original: '/:\\d*$/',
    replacement: '/:\\d*/',
    why: 'A host with two colons was refused before, so the only colon is that of the port.',
  },
  { file: calendar, original: 'known !== undefined', replacement: 'false', why: cache },
  ...['true', 'false', 'recentDays.size > MOST_RECENT_DAYS', 'recentDays.size < MOST_RECENT_DAYS'].map(
    (replacement) => ({
      file: calendar,
      original: 'recentDays.size >= MOST_RECENT_DAYS',
      replacement,
      why: cache,
    }),
  ),
  ...[
    ['dateOfBirth !== undefined', 'true'],
    ['issueDate !== undefined', 'true'],
    ['dateOfBirth === undefined', 'false'],
    ['expirationDate === undefined', 'false'],
  ].map(([original, replacement]) => ({ file: dates, original, replacement, why: ofUndefined })),
  ...['subdivision !== undefined', 'postalCode !== undefined'].map((original) => ({
    file: addressRules,
    original,
    replacement: 'true',
    why: hasViolation,
  })),
  {
    file: addressRules,
    original: 'country !== undefined',
    replacement: 'true',
    why: 'The word "undefined" is no code of a territory.',
  },
  {
    file: 'packages/kyc-core/src/submission/country-rules.ts',
    original: 'country === undefined',
    replacement: 'false',
    why: 'The word "undefined" is no user-assigned code.',
  },
  {
    file: 'packages/kyc-core/src/submission/name-rules.ts',
    ...unreached,
    why: 'Neither text is the sign of an absent last name.',
  },
  { file: parsing, original: 'provider !== undefined', replacement: 'true', why: hasViolation },
  {
    file: parsing,
    original: "issue.code === 'invalid_value'",
    replacement: 'true',
    why: 'Only such an issue has the code ENUM. The comparison is for the type.',
  },
  ...['true', 'waived.length >= 0'].map((replacement) => ({
    file: parsing,
    original: 'waived.length > 0',
    replacement,
    within: 'schemas.lenient',
    why: 'What the strict schema accepts, the lenient one accepts with the same result. The comparison saves the second validation.',
  })),
  {
    file: parsing,
    original: "code === 'UNKNOWN_FIELD'",
    replacement: 'true',
    within: 'unknownFields',
    why: sameAgain,
  },
  {
    file: parsing,
    original: "inOrderOfPrecedence.filter(({ code }) => code === 'UNKNOWN_FIELD')",
    replacement: 'inOrderOfPrecedence',
    why: sameAgain,
  },
  { file: context, original: 'keys === undefined', replacement: 'true', why: 'The map only remembers.' },
  {
    file: context,
    original: 'value === null',
    replacement: 'false',
    why: 'Null members of closed objects were dropped before. The comparison is for the type.',
  },
  ...["typeof value === 'string'", "typeof value === 'number'"].map((original) => ({
    file: context,
    original,
    replacement: 'true',
    why: 'A value of another type has a violation, and was left out before.',
  })),
  {
    file: context,
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'The rules look for checks with a status, and a text has none.',
  },
  {
    file: context,
    original: "each.code === 'ACCEPTED_ON_FAILED'",
    replacement: 'true',
    why: 'No other warning is about a field that was waived.',
  },
  {
    file: verificationRules,
    original: 'score !== undefined',
    replacement: 'true',
    why: 'A comparison of undefined with a number is false.',
  },
  {
    file: cards,
    original: 'folded.length < SHORTEST',
    replacement: 'false',
    why: 'A shorter text holds no number. The comparison only saves the search.',
  },
  {
    file: cards,
    original: 'sum += doubled > 9 ? doubled - 9 : doubled',
    replacement: 'sum -= doubled > 9 ? doubled - 9 : doubled',
    why: 'A negative sum is divisible by ten when the sum is.',
  },
  {
    file: dates,
    original: 'decisionedAt === undefined',
    replacement: 'false',
    why: 'No date-time is read from the word "undefined" either.',
  },
]
