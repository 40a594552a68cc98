// An HTTP server on loopback in a separate process. It accepts and counts each POST, at once or after ANSWER_MS.
// /hang/… never answers. With CERT_FILE and KEY_FILE it speaks TLS.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'

const { CERT_FILE, KEY_FILE, ANSWER_MS = '0' } = process.env
const answerMs = Number(ANSWER_MS)
let count = 0
function listener(request, response) {
  if (request.method === 'GET') return void response.end(String(count))
  request.resume()
  request.on('end', () => {
    if (request.url.startsWith('/hang/')) return
    count += 1
    if (answerMs === 0) response.end('ok')
    else setTimeout(() => response.end('ok'), answerMs)
  })
}
const server =
  CERT_FILE === undefined
    ? createServer(listener)
    : createTlsServer({ cert: readFileSync(CERT_FILE), key: readFileSync(KEY_FILE) }, listener)
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit(0))
