const retries = 'packages/webhooks/src/delivery/retry-schedule.ts'
const request = 'packages/webhooks/src/signature/signed-request.ts'
const hmac = 'packages/webhooks/src/signature/hmac.ts'

/** What an overflow changes is never one part of a date alone. */
const overflow = 'A part that overflows changes the next larger part too, whose comparison is still there.'
const otherRuntimes = 'Without `node:crypto` only: the tests of other runtimes are processes of their own.'
const sameBytes = 'A new view of the same bytes instead of the given one: the HMAC is the same.'

/** Mutants that may survive, each with the reason. A mutant that is not here is a violation. */
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
  {
    file: request,
    original: "typeof secrets === 'string'",
    replacement: 'true',
    why: '`isUsable` compares the type again. The comparison is for the type.',
  },
  ...['true', 'false', 'body.length !== byteLength'].map((replacement) => ({
    ...{ file: request, original: 'body.length === byteLength', replacement, why: sameBytes },
  })),
]
