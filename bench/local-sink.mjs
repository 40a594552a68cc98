// An HTTP server on loopback, in a process of its own, that takes every POST at once and counts. /hang/… never answers.
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(String(count))
  request.resume()
  request.on('end', () => {
    if (request.url.startsWith('/hang/')) return
    count += 1
    response.end('ok')
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit(0))
