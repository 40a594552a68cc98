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
]
