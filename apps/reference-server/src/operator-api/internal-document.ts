import {
  openApiDocument,
  parameterUnknown,
  type ApiDescription,
  type OpenApiDocument,
} from '../webhooks-api/openapi-document.js'
import { internalOperations } from './internal-operations.js'

const internalApi: Omit<ApiDescription, 'eventTypeNames'> = {
  title: 'kyc-relay internal API',
  description:
    'For operators and other services of the operator, on loopback. Errors are problem details (RFC 9457) with a stable `code`.',
  server: 'The internal listener.',
  security: ['internalToken', 'The token of an operator, or INTERNAL_TOKEN of a service.'],
  tags: {
    Reads: 'What is stored about all apps, without personal data. Right: `read`.',
    Events: 'Events and transactions that services publish.',
    'Apps and access': 'Apps, API keys, grants, access tokens, and pauses of endpoints.',
    People: 'Evidence, corrections and rights of users.',
  },
  everywhere: [
    parameterUnknown,
    {
      status: 401,
      code: 'UNAUTHENTICATED',
      detail: 'INTERNAL_TOKEN_REQUIRED',
      when: 'The token is missing or unknown.',
    },
    { status: 403, code: 'FORBIDDEN', detail: 'RIGHT_REQUIRED', when: 'The operator does not have the right.' },
    { status: 429, code: 'RATE_LIMITED', when: 'Too many requests; see `Retry-After`.' },
    { status: 500, code: 'INTERNAL', when: 'The service failed. Retrying is safe.' },
    { status: 503, code: 'UNAVAILABLE', when: 'The service is overloaded or cannot reach its database.' },
  ],
  changing: [],
  answerHeaders: {},
  curlOf: ({ method, path }) =>
    [
      `curl "$INTERNAL_URL${path}"`,
      ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
      '-H "Authorization: Bearer $INTERNAL_TOKEN"',
    ].join(' \\\n  '),
  exampleOf: () => ({ answers: {} }),
  webhooks: null,
}

/** Creates the OpenAPI document of the internal API. */
export function internalDocument(eventTypeNames: readonly string[]): OpenApiDocument {
  return openApiDocument(internalOperations, { ...internalApi, eventTypeNames })
}
