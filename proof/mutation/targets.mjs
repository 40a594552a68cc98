const core = (file) => `packages/kyc-core/src/${file}.ts`
const webhooks = (file) => `packages/webhooks/src/${file}.ts`
const coreTest = (file) => `packages/kyc-core/test/${file}.test.ts`
const webhooksTest = (file) => `packages/webhooks/test/${file}.test.ts`

/** The pure code that decides most, each part with the tests that must kill its mutants. */
export const targets = [
  {
    name: 'status',
    mutate: ['status/kyc-status', 'status/decline-codes', 'status/status-outcomes'].map(core),
    tests: ['status/*'].map(coreTest),
  },
  {
    name: 'retries',
    mutate: ['delivery/retry-schedule', 'delivery/delivery-state'].map(webhooks),
    tests: ['delivery/retry-schedule', 'delivery/delivery-state', 'delivery/classify-response'].map(webhooksTest),
  },
  {
    name: 'signatures',
    // Of `hmac` only what uses `node:crypto`: other runtimes are processes of their own.
    mutate: ['signature/sign-webhook', 'signature/verify-signature', 'signature/signed-request']
      .map(webhooks)
      .concat('packages/webhooks/src/signature/hmac.ts:1-40'),
    tests: ['signature/*'].map(webhooksTest),
  },
  {
    name: 'addresses',
    mutate: ['https/address-policy', 'https/endpoint-url'].map(webhooks),
    tests: ['https/address-policy', 'https/endpoint-url'].map(webhooksTest),
  },
  {
    name: 'dates-and-numbers',
    mutate: [
      'submission/calendar-date',
      'submission/date-rules',
      'submission/ssn',
      'submission/ssn-rules',
      'submission/card-number',
      'submission/document-number',
    ].map(core),
    tests: ['submission/*'].map(coreTest),
  },
  {
    name: 'submissions',
    mutate: [
      'submission/parse-submission',
      'submission/rule-context',
      'submission/name-rules',
      'submission/country-rules',
      'submission/address-rules',
      'submission/lenient-rules',
      'submission/verification-rules',
    ].map(core),
    tests: [
      'submission/submission-cases',
      'submission/any-input',
      'submission/tidied-texts',
      'submission/allowed-values',
    ].map(coreTest),
  },
  {
    name: 'transactions',
    mutate: ['events/transaction-status', 'publishing/same-event', 'publishing/same-id'].map(webhooks),
    tests: [
      'events/transaction-status',
      'publishing/same-event',
      'publishing/same-id',
      'publishing/move-transaction',
    ].map(webhooksTest),
  },
]

/** Of the smoke run: one small file. */
export const smallestTarget = {
  name: 'smoke',
  mutate: [core('status/status-outcomes')],
  tests: [coreTest('status/kyc-status')],
}
