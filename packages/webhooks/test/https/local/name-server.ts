import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What to say about a name: addresses, a DNS error code (3 is NXDOMAIN, 2 SERVFAIL), another name, or nothing. */
export type NameAnswer =
  | { readonly a?: readonly string[]; readonly aaaa?: readonly string[] }
  | { readonly code: number }
  | { readonly cname: string }
  | 'silence'

/** A name server on loopback (RFC 1035), as much of one as the tests need. */
export async function startNameServer(answers: Readonly<Record<string, NameAnswer>>) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(name)
    const answer = answers[name] ?? { code: 3 }
    if (answer === 'silence') return
    socket.send(respond(query.subarray(0, end), type, answer), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function respond(question: Buffer, type: number, answer: Exclude<NameAnswer, 'silence'>): Buffer {
  const records =
    'cname' in answer
      ? [record(5, encodeName(answer.cname))]
      : 'code' in answer
        ? []
        : type === 1
          ? (answer.a ?? []).map((address) => record(1, Buffer.from(address.split('.').map(Number))))
          : (answer.aaaa ?? []).map((address) => record(28, ipv6Bytes(address)))
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180 | ('code' in answer ? answer.code : 0), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  return Buffer.concat([head, ...records])
}

/** Names of records point at the name of the question. */
function record(type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(12)
  fields.writeUInt16BE(0xc00c, 0)
  fields.writeUInt16BE(type, 2)
  fields.writeUInt16BE(1, 4)
  fields.writeUInt16BE(data.length, 10)
  return Buffer.concat([fields, data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** Only addresses written out in eight groups. */
function ipv6Bytes(address: string): Buffer {
  return Buffer.concat(address.split(':').map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
