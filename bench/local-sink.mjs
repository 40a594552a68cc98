// An HTTP server on loopback in a separate process. It accepts and counts each POST, at once or after ANSWER_MS.
// /hang/… never answers.
import { createServer } from 'node:http'

const answerMs = Number(process.env.ANSWER_MS ?? 0)
let count = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(String(count))
  request.resume()
  request.on('end', () => {
    if (request.url.startsWith('/hang/')) return
    count += 1
    if (answerMs === 0) response.end('ok')
    else setTimeout(() => response.end('ok'), answerMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit(0))
