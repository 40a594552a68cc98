// The mistake that everybody makes once: the body is read before the handler sees the request.
import { POST as receive } from '../webhooks/route'

export async function POST(request: Request): Promise<Response> {
  await request.json()
  return receive(request)
}
