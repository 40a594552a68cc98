import { expect } from 'vitest'
import { errorCatalogue, type ErrorCode } from '../src/http/error-catalogue.js'
import type { RawAnswer } from './http/raw-connection.js'

interface AnyAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are asserted on, not worked with
  readonly json: any
}

/** Expects a GraphQL error of the catalogue, complete and with nothing beside it. */
export function expectGraphqlRefusal(
  answer: AnyAnswer | RawAnswer,
  status: number,
  code: ErrorCode,
  detail?: string,
): void {
  expect([
    answer.status,
    answer.json?.errors?.[0]?.extensions?.code,
    answer.json?.errors?.[0]?.extensions?.detail,
  ]).toEqual([status, code, detail])
  const isOfDocument = code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED'
  const { message, locations } = answer.json.errors[0] as { message: string; locations?: unknown }
  // The text of an invalid document goes on with the reason and the position.
  if (isOfDocument) expect(message.startsWith(errorCatalogue[code].message.slice(0, -1))).toBe(true)
  expect(answer.json).toEqual({
    errors: [
      {
        message: isOfDocument ? message : errorCatalogue[code].message,
        ...(isOfDocument && locations !== undefined ? { locations } : {}),
        extensions: {
          code,
          ...(detail === undefined ? {} : { detail }),
          violations: [],
          requestId: answer.headers['x-request-id'],
          retryable: errorCatalogue[code].retryable,
        },
      },
    ],
  })
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
}

/** Expects problem details (RFC 9457) of the catalogue. */
export function expectProblem(answer: AnyAnswer | RawAnswer, status: number, code: ErrorCode, detail?: string): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
  expect(answer.json).toEqual({
    type: 'about:blank',
    title: errorCatalogue[code].message,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    requestId: answer.headers['x-request-id'],
  })
}
