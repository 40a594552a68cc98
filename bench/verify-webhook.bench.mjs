// Measures verifying and signing of one webhook of 1.1 kB, beside the fastest library that does the same. One SHA-256 of
// the body is the limit.
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods'
import { signWebhook, verifySignature, verifyWebhook } from '@kyc-relay/webhooks'
import { atMost, inTurn, median, spread, writeReport } from './harness.mjs'

const rounds = 36
const callsPerRound = 10_000

const secret = 'kyc_live_0123456789abcdef0123456789abcdef'
const body = JSON.stringify({
  eventType: 'TRANSACTION_CREATE',
  recordId: '3b9d2c71-6a5e-4b8f-9c0d-1e2f3a4b5c04',
  user: 'Jane Example',
  accountId: '7c1f6d52-8f0e-4c5e-a1f2-5f3b0a9d4e02',
  userId: '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01',
  transactionId: '9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b05',
  transactionType: 'VIRTUAL_CARD_PURCHASE',
  amount: 42.5,
  initialAmount: 42.5,
  destination: 'Example Coffee',
  source: 'Cash balance',
  fee: 0,
  cashback: 0.64,
  cashBalanceAvailableBalance: 157.5,
  referenceId: null,
  description: 'Purchase at Example Coffee, 1 Sample Street, New York',
  note: 'Paid with the everyday card of the example wallet, nothing unusual about it',
  category: 'Food and drink',
  cardLastFour: '4242',
  cardDisplayName: 'Everyday card',
  merchantName: 'Example Coffee',
  merchantCountry: 'US',
  merchantState: 'NY',
  merchantCity: 'New York',
  merchantCategoryCode: 5814,
  isPrivate: false,
  connectedAppId: 'b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03',
  connectedAppName: 'Example Wallet',
  usedUserCashBalanceId: '5e4d3c2b-1a09-4f8e-9d7c-6b5a49382706',
  createdAt: '2026-03-02T15:04:05.000Z',
  status: 'PENDING',
  updatedAt: null,
})
const bytes = Buffer.from(body)
const signature = createHmac('sha256', secret).update(body).digest('hex')
const octokitSignature = `sha256=${signature}`
const headers = {
  host: 'receiver.example',
  'content-type': 'application/json',
  'content-length': String(bytes.length),
  'user-agent': 'kyc-relay-webhooks/1',
  'x-hmac-signature': signature,
  'x-event-id': '0198c0de-0000-7000-8000-000000000001',
}

// Each of our functions follows the peer's work that it is compared with.
const contenders = {
  'SHA-256 of the body (floor)': () => createHash('sha256').update(body).digest('hex'),
  'octokit verify': () => octokitVerify(secret, body, octokitSignature),
  'verifySignature, text': () => verifySignature({ body, signature, secrets: secret }),
  'verifySignature, bytes': () => verifySignature({ body: bytes, signature, secrets: secret }),
  'octokit verify, then JSON.parse': async () =>
    (await octokitVerify(secret, body, octokitSignature)) && JSON.parse(body),
  'verifyWebhook, text': () => verifyWebhook({ body, headers, secrets: secret }),
  'verifyWebhook, bytes': () => verifyWebhook({ body: bytes, headers, secrets: secret }),
  'octokit sign': () => octokitSign(secret, body),
  signWebhook: () => signWebhook(body, secret),
}
const comparisons = [
  ['verifySignature, text', 'octokit verify', 1],
  ['verifySignature, text', 'SHA-256 of the body (floor)', 2],
  ['verifyWebhook, text', 'octokit verify, then JSON.parse', 1],
  ['verifyWebhook, text', 'octokit verify', null],
  ['verifyWebhook, text', 'SHA-256 of the body (floor)', null],
  ['signWebhook', 'octokit sign', null],
  ['signWebhook', 'SHA-256 of the body (floor)', 2],
]

assert.equal(await contenders['octokit verify'](), true)
assert.equal(await contenders['verifySignature, text'](), true)
assert.equal(await contenders['verifySignature, bytes'](), true)
assert.equal((await contenders['verifyWebhook, text']()).event.amount, 42.5)
assert.equal(await contenders.signWebhook(), signature)
assert.equal(await contenders['octokit sign'](), octokitSignature)
assert.equal(await verifySignature({ body, signature: '0'.repeat(64), secrets: secret }), false)

async function measure(call) {
  const start = process.hrtime.bigint()
  for (let i = 0; i < callsPerRound; i++) await call()
  return Number(process.hrtime.bigint() - start) / callsPerRound
}

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
for (const call of Object.values(contenders)) await measure(call)
for (let round = 0; round < rounds; round++) {
  globalThis.gc?.()
  for (const [name, call] of inTurn(Object.entries(contenders), round)) times[name].push(await measure(call))
}

const rows = Object.entries(times).map(([contender, measured]) => ({ contender, ...spread(measured) }))
// Round against round: what else the machine did meets both.
const ratios = comparisons.map(([ours, against, reach]) => ({
  ours,
  against,
  ratio: median(times[ours].map((time, round) => time / times[against][round])),
  reach,
}))

console.log(
  `One webhook of ${bytes.length} bytes; nanoseconds per call, median of ${rounds} rounds of ${callsPerRound}.\n`,
)
console.log(`${''.padEnd(34)}  median  lowest  highest`)
for (const { contender, median, lowest, highest } of rows) {
  const figures = [median, lowest, highest].map((figure, index) => figure.toFixed(0).padStart([8, 8, 9][index]))
  console.log(`${contender.padEnd(34)}${figures.join('')}`)
}
console.log('\nMedian of the ratios of each round')
for (const { ours, against, ratio, reach } of ratios) {
  const verdict = reach === null ? '' : `   reach ≤ ${reach}: ${ratio <= reach ? 'yes' : 'no'}`
  console.log(`  ${`${ours} / ${against}`.padEnd(58)}${ratio.toFixed(2)}${verdict}`)
}

writeReport('verify-webhook', {
  unit: 'nanoseconds per call',
  sizes: { 'bytes of the body': bytes.length, rounds, 'calls in a round': callsPerRound },
  setup: {
    'kyc-relay': 'the built package, `createHmac` of `node:crypto`',
    octokit: '`@octokit/webhooks-methods`, with the same secret and body',
    'SHA-256': '`createHash` of `node:crypto`: the limit',
  },
  rows,
  ratios,
  goals: ratios
    .filter(({ reach }) => reach !== null)
    .map(({ ours, against, ratio, reach }) => atMost(`${ours}: time over ${against}`, ratio, reach)),
})
