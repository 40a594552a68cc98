/** Path of the webhooks API. */
export const base = '/api/v1/webhooks'

export const notFound = { status: 404, code: 'NOT_FOUND', when: 'This app has no object with this id.' } as const

export const bodyInvalid = {
  status: 400,
  code: 'BAD_REQUEST',
  detail: 'BODY_INVALID',
  when: 'The body is invalid; see `violations`.',
} as const

export const queryInvalid = {
  status: 400,
  code: 'BAD_REQUEST',
  detail: 'QUERY_INVALID',
  when: 'A query parameter is invalid; see `violations`.',
} as const

/** Refusals of what a partner sets of an endpoint. */
export const endpointRefused = [
  { status: 400, code: 'BAD_REQUEST', detail: 'URL_NOT_HTTPS', when: 'The URL does not begin with `https://`.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'URL_INVALID', when: 'It is not a full URL in plain notation.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'URL_HAS_CREDENTIALS', when: 'It contains a user name or password.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'URL_HAS_FRAGMENT', when: 'It contains a fragment.' },
  {
    status: 400,
    code: 'BAD_REQUEST',
    detail: 'URL_PORT_NOT_ALLOWED',
    when: 'Its port is not 443, and is below 1024 or blocked by browsers.',
  },
  { status: 400, code: 'BAD_REQUEST', detail: 'URL_HOST_NOT_ALLOWED', when: 'Its host is not a public name.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'TOO_MANY_HEADERS', when: 'There are more than five static headers.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'HEADER_NAME_INVALID', when: 'The name of a header is not a token.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'HEADER_NAME_NOT_ALLOWED', when: 'The service sets this header itself.' },
  { status: 400, code: 'BAD_REQUEST', detail: 'HEADER_NAME_REPEATED', when: 'A header is given twice.' },
  {
    status: 400,
    code: 'BAD_REQUEST',
    detail: 'HEADER_VALUE_INVALID',
    when: 'A value is empty, longer than 1,000 characters, or not visible ASCII.',
  },
  {
    status: 400,
    code: 'BAD_REQUEST',
    detail: 'EVENT_TYPE_NOT_OFFERED',
    when: 'The operator of the service has not turned this event type on.',
  },
] as const
