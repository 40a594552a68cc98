import { expect, it } from 'vitest'
import { createDocumentationRoutes } from '../../src/webhooks-api/documentation-routes.js'

it.each([
  ['/', '/portal'],
  ['/docs', '/api/v1/docs'],
])('a browser at %s comes to %s', async (from, to) => {
  const answer = await createDocumentationRoutes().request(from)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, to])
})
