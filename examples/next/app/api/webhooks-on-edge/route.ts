// The same receiver on Next's Edge runtime, which has Web Crypto and nothing of Node.
export { POST } from '../webhooks/route'
export const runtime = 'edge'
