import type { Context } from 'hono'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { answerAndClose, hasUnreadBody, type PlainAnswer } from './early-answer.js'
import type { EdgeEnv } from './listener.js'

/** Answers a refusal. A body that nobody reads is neither waited for nor allowed to swallow the answer. */
export function refusalResponse(c: Context<EdgeEnv>, answer: PlainAnswer): Response {
  const { incoming, outgoing } = c.env
  // The connection broke meanwhile and was told so.
  if (outgoing.headersSent) return RESPONSE_ALREADY_SENT
  if (hasUnreadBody(incoming)) {
    answerAndClose(incoming, outgoing, answer)
    return RESPONSE_ALREADY_SENT
  }
  return c.body(answer.body, answer.status as 400, answer.headers)
}
