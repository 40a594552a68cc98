import type { Context } from 'hono'
import type * as z from 'zod'
import { problemBody } from './error-bodies.js'
import { errorCatalogue, type Refusal } from './error-catalogue.js'
import { readJsonObject, refuseBodyHead } from './json-body.js'
import type { EdgeEnv } from './request-context.js'
import { violationsOf } from './violations.js'

/** Responds with problem details. `fields` lists violations by JSON Pointer, never by value. */
export function refuseProblem(
  c: Context<EdgeEnv>,
  refusal: Refusal & { readonly fields?: readonly { readonly pointer: string; readonly code: string }[] },
  headers: Record<string, string> = {},
): Response {
  const { body, contentType } = problemBody(refusal, c.env.requestId, refusal.fields)
  return new Response(body, {
    status: refusal.status ?? errorCatalogue[refusal.code].status,
    headers: { 'content-type': contentType, 'cache-control': 'no-store', ...headers },
  })
}

/** A body that matches the schema, or the refusal. */
export async function readJson<T extends z.ZodType>(
  c: Context<EdgeEnv>,
  schema: T,
): Promise<{ readonly ok: true; readonly value: z.output<T> } | { readonly ok: false; readonly response: Response }> {
  const head = refuseBodyHead(c)
  if (head !== null) return { ok: false, response: refuseProblem(c, head) }
  const body = await readJsonObject(c)
  if (!body.ok) return { ok: false, response: refuseProblem(c, body.refusal) }
  const parsed = schema.safeParse(body.value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const fields = violationsOf(parsed.error, body.value)
  return { ok: false, response: refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields }) }
}
