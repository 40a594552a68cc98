import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { answerAndClose, hasUnreadBody, writeHead, type PlainAnswer } from './early-answer.js'
import type { EdgeEnv } from './listener.js'

/**
 * Answers on Node's own response: a `Response` would put a web stream around every body, which costs more than making it.
 *
 * A body that nobody read is neither waited for nor allowed to swallow the answer.
 */
export function respondDirectly(c: Context<EdgeEnv>, answer: PlainAnswer): Response {
  const { incoming, outgoing } = c.env
  if (hasUnreadBody(incoming)) answerAndClose(incoming, outgoing, answer)
  else {
    writeHead(incoming, outgoing, answer)
    outgoing.end(answer.body)
  }
  return RESPONSE_ALREADY_SENT
}
