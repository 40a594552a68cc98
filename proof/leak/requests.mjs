import { canary, canarySubmission } from '../../apps/reference-server/test/leak-canaries.ts'
import { dryRun, submit } from '../old-and-new/submissions.mjs'

const values = Object.values(canary)
/** Stored as they are: the contract says so. */
const keptInClear = ['externalVerificationId', 'verificationId']
const someValue = (random) => random.pick(values)

/** Puts a canary somewhere in a submission: in place of a value, or as the name of a field. */
function spoilt(random, submission) {
  const copy = structuredClone(submission)
  const objects = [copy, copy.person, copy.person.address, copy.verifications, copy.verifications.document]
  const place = random.pick(objects)
  if (random.chance(0.3)) place[someValue(random)] = someValue(random)
  else
    place[random.pick(Object.keys(place).filter((name) => !keptInClear.includes(name)))] = random.pick([
      someValue(random),
      [someValue(random)],
      { [someValue(random)]: 1 },
      7,
      null,
    ])
  return copy
}

/** The next request: half of them are right, and every one is full of canaries. */
export function nextRequest(random, demo, externalVerificationId) {
  const user = random.pick(demo.users)
  const right = canarySubmission({ externalVerificationId })
  const json = { 'content-type': 'application/json' }
  const as = (token, headers = {}) => ({ ...json, authorization: `Bearer ${token}`, ...headers })
  const post = (base, body, headers) => ({ url: `${base}/api/v1/graphql`, method: 'POST', headers, body })
  const secure = (body, headers = as(user.accessToken)) => post(demo.secureUrl, body, headers)
  if (random.chance(0.5)) return secure(JSON.stringify({ query: submit, variables: right }))
  const text = JSON.stringify({ query: submit, variables: right })
  return random.pick([
    () => secure(JSON.stringify({ query: submit, variables: spoilt(random, right) })),
    () => secure(JSON.stringify({ query: dryRun, variables: spoilt(random, right) })),
    () => post(demo.apiUrl, text, as(user.accessToken)),
    () => secure(text.slice(0, 20 + random.whole(text.length - 20))),
    () => secure(text.replace('{', `{"${someValue(random)}":1,`)),
    () => secure(JSON.stringify({ query: `mutation { ${submit} } # ${someValue(random)}`, variables: right })),
    () => secure(JSON.stringify({ query: `{ a(b: ${JSON.stringify(someValue(random))}) }` })),
    () => secure(text, as(Buffer.from(someValue(random)).toString('base64url'))),
    () =>
      secure(text, as(user.accessToken, { 'content-type': `application/${encodeURIComponent(someValue(random))}` })),
    () =>
      secure(
        text,
        as(user.accessToken, { traceparent: encodeURIComponent(someValue(random)), baggage: `ssn=${canary.ssn}` }),
      ),
    () => ({ ...secure(text), url: `${demo.secureUrl}/api/v1/graphql?q=${encodeURIComponent(someValue(random))}` }),
    () => ({ ...secure(text), url: `${demo.secureUrl}/${encodeURIComponent(someValue(random))}` }),
    () => ({
      url: `${demo.internalUrl}/internal/v1/vault/reveal`,
      method: 'POST',
      headers: as(demo.internalToken),
      body: JSON.stringify({
        appId: user.appId,
        userId: user.userId,
        token: someValue(random),
        actor: 'a',
        purpose: 'b',
      }),
    }),
  ])()
}
