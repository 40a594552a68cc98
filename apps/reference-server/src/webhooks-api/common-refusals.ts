/** Path of the webhooks API. */
export const base = '/api/v1/webhooks'

export const notFound = { status: 404, code: 'NOT_FOUND', when: 'This app has no object with this id.' } as const

export const bodyInvalid = {
  status: 400,
  code: 'BAD_REQUEST',
  detail: 'BODY_INVALID',
  when: 'The body is invalid; see `violations`.',
} as const
