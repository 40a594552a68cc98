/** Framework of a receiver. It decides the hint of an error. */
export type ReceiverFramework =
  'express' | 'fastify' | 'koa' | 'hono' | 'next' | 'aws-lambda' | 'cloudflare-workers' | 'node' | 'fetch'

const rawBodyLines: Readonly<Record<ReceiverFramework, string>> = {
  express:
    "Express: give this route the raw body and put it above app.use(express.json()): app.post(path, express.raw({ type: 'application/json' }), handler).",
  fastify:
    "Fastify: in the plugin that holds this route, fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)), and pass request.body.",
  koa: 'Koa: put this route above app.use(bodyParser()), which reads the stream, and pass ctx.req.',
  hono: 'Hono: pass c.req.raw, and let nothing call c.req.json() or a validator before it.',
  next: 'Next: in app/…/route.ts pass the Request itself, without request.json(); in pages/api export const config = { api: { bodyParser: false } }.',
  'aws-lambda':
    "AWS Lambda: pass event.body as it is, or Buffer.from(event.body, 'base64') when event.isBase64Encoded, never JSON.parse(event.body).",
  'cloudflare-workers': 'Workers: pass the Request itself, or await request.arrayBuffer(), never await request.json().',
  node: 'Node: pass the request itself before anything else listens to its data.',
  fetch: 'Pass the Request itself, or await request.arrayBuffer(), never await request.json().',
}

/** Returns the change that passes the raw body to the receiver. */
export function rawBodyLine(framework: ReceiverFramework): string {
  return rawBodyLines[framework]
}
