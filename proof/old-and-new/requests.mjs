// The requests that commands are made of. A request names what it needs of earlier answers as {{name}}: the two servers give
// different ids and keys.

const json = (body) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** A GraphQL request to the `secure` or the standard endpoint, with the token that a user keeps under this name. */
export const graphql = (on, user, query, variables) => ({
  on,
  method: 'POST',
  path: '/api/v1/graphql',
  token: `{{${user}}}`,
  ...json({ query, variables }),
})

export const internal = (method, path, body) => ({
  on: 'internal',
  method,
  path: `/internal/v1${path}`,
  token: '{{internalToken}}',
  ...(body === undefined ? {} : json(body)),
})

/** A request of the app to the API of its webhooks. */
export const webhooksApi = (method, path, body) => ({
  on: 'api',
  method,
  path: `/api/v1/webhooks${path}`,
  token: '{{apiKey}}',
  ...(body === undefined ? {} : json(body)),
})

/** Fills in a form of a portal page and sends it. */
export const form = (page, action, fields) => ({ on: 'api', form: { page, action, fields } })
