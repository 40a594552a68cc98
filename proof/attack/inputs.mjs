import { plainSubmission, submit } from '../old-and-new/submissions.mjs'

const bytes = (text) => Buffer.from(text, 'latin1')

/** One HTTP request as bytes. `lines` take the place of `content-length`. */
function request({ method = 'POST', target = '/api/v1/graphql', token, body = '', lines }) {
  const head = [
    `${method} ${target} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    ...(lines ?? [`content-length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.concat([bytes(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}

const nested = (open, close, depth) => open.repeat(depth) + close.repeat(depth)

/** JSON and documents that a parser could choke on. Each holds the marker, which no answer may repeat. */
const bodies = {
  'deep JSON': (_, marker) => `{"query":"${marker}","variables":${nested('[', ']', 5_000)}}`,
  'deep selection': (_, marker) => JSON.stringify({ query: `{ ${marker} ${nested('{a', '}', 3_000)} }` }),
  'deep list': (_, marker) => JSON.stringify({ query: `{ a(b: ${nested('[', ']', 5_000)}, c: "${marker}") }` }),
  aliases: (_, marker) =>
    JSON.stringify({
      query: `{ ${Array.from({ length: 900 }, (_, n) => `a${n}${marker}: viewer { userId }`).join(' ')} }`,
    }),
  'fragment cycle': (_, marker) =>
    JSON.stringify({ query: `{ viewer { ...${marker} } } fragment ${marker} on Viewer { ...${marker} }` }),
  directives: (_, marker) =>
    JSON.stringify({ query: `{ viewer ${'@skip(if: false) '.repeat(400)} { userId } } # ${marker}` }),
  'duplicate keys': (_, marker) => `{"query":"{ viewer { userId } }","query":"${marker}"}`,
  'prototype key': (_, marker) => `{"query":"{ viewer { userId } }","__proto__":{"${marker}":1}}`,
  'lone surrogate': (_, marker) => `{"query":"\\ud800 ${marker}"}`,
  'huge number': (_, marker) => `{"query":"${marker}","variables":{"a":1${'0'.repeat(400)}}}`,
  'cut off': (_, marker) => `{"query":"${marker}`,
  'unknown field': (_, marker) => JSON.stringify({ query: `{ ${marker} }` }),
  'inlined values': (_, marker) =>
    JSON.stringify({
      query: `mutation { postKycVerification(schemaVersion: "${marker}", decision: "${marker}") { status } }`,
    }),
  submission: (random, marker) => {
    const variables = plainSubmission(random, marker)
    const field = random.pick(['schemaVersion', 'decision', 'decisionedAt', 'person', 'verifications'])
    return JSON.stringify({ query: submit, variables: { ...variables, [field]: marker } })
  },
}

/** Whole requests; the server must answer each or close the connection by itself. */
const whole = {
  body: (random, { token, marker }) => request({ token, body: random.pick(Object.values(bodies))(random, marker) }),
  target: (random, { token, marker }) =>
    request({
      token,
      method: random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']),
      target: `${random.pick(['/api/v1/graphql', '/api/v1/webhooks', '/portal', '/internal/v1/events', '/..%2f', '//', '/%00'])}?q=${marker}`,
    }),
  token: (random, { marker }) => request({ token: random.pick([marker, `${marker} `.repeat(50), `kyc_at_${marker}`]) }),
  'two lengths': (_, { token, marker }) =>
    request({ token, body: marker, lines: ['content-length: 3', 'content-length: 40'] }),
  'length and chunks': (_, { token, marker }) =>
    request({
      token,
      body: `0\r\n\r\nGET /${marker} HTTP/1.1\r\n\r\n`,
      lines: ['content-length: 4', 'transfer-encoding: chunked'],
    }),
  'odd encoding': (random, { token, marker }) =>
    request({
      token,
      body: marker,
      lines: [`transfer-encoding: ${random.pick(['xchunked', 'chunked, identity', ' chunked\t', 'gzip'])}`],
    }),
  'bad chunk': (random, { token, marker }) =>
    request({
      token,
      body: `${random.pick(['zz', '-1', '5;ext=1'])}\r\n${marker}\r\n0\r\n\r\n`,
      lines: ['transfer-encoding: chunked'],
    }),
  'bare line feeds': (_, { token, marker }) =>
    bytes(`POST /${marker} HTTP/1.1\nhost: localhost\nauthorization: Bearer ${token}\n\n`),
  'huge header': (_, { token, marker }) => request({ token, lines: [`x-long: ${marker.repeat(4_000)}`] }),
  'not HTTP': (random, { marker }) =>
    bytes(random.pick([`${marker}\r\n\r\n`, '\x16\x03\x01\x02\x00', `GET / HTTP/9.9\r\nx: ${marker}\r\n\r\n`])),
  compressed: (_, { token, marker }) =>
    request({ token, body: marker, lines: ['content-encoding: gzip', `content-length: ${marker.length}`] }),
}

/** Requests that the client spoils: what comes of them is between the server and a client that is gone. */
const spoilt = {
  'pipeline that dies': (random, { token, marker }) => ({
    bytes: Buffer.concat(Array.from({ length: 12 }, () => request({ token, body: bodies.submission(random, marker) }))),
    end: random.pick(['reset', 'destroy']),
  }),
  'reader that stalls': (random, { token, marker }) => ({
    bytes: Buffer.concat(
      Array.from({ length: 40 }, () => request({ token, body: bodies['unknown field'](random, marker) })),
    ),
    end: 'stall',
  }),
  'slow body': (random, { token, marker }) => {
    const all = request({ token, body: bodies.submission(random, marker) })
    return {
      bytes: all.subarray(0, all.length - 1 - random.whole(400)),
      end: random.pick(['wait', 'half-close', 'destroy']),
    }
  },
  'flipped bytes': (random, { token, marker }) => {
    const all = Buffer.from(request({ token, body: bodies.submission(random, marker) }))
    for (let n = 0; n < 3; n += 1) all[random.whole(all.length)] = random.whole(256)
    return { bytes: all, end: 'wait' }
  },
}

/** The next input: its bytes, how the client behaves after them, and whether the server owes an end. */
export function nextInput(random, context) {
  if (random.chance(0.6)) {
    const name = random.pick(Object.keys(whole))
    return { name, bytes: whole[name](random, context), end: 'read', mustEnd: true }
  }
  const name = random.pick(Object.keys(spoilt))
  return { name, ...spoilt[name](random, context), mustEnd: false }
}
