import { typeDefs } from '@kyc-relay/kyc-core/graphql'
import { expect, it, vi } from 'vitest'
import { createEventCatalogue } from '../../src/events/event-catalogue.js'
import { createDocumentationRoutes } from '../../src/webhooks-api/documentation-routes.js'

it.each([
  ['/', '/portal'],
  ['/docs', '/api/v1/docs'],
])('a browser at %s comes to %s', async (from, to) => {
  const answer = await createDocumentationRoutes(createEventCatalogue()).request(from)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, to])
})

it('refuses an unknown query parameter of the description', async () => {
  const routes = createDocumentationRoutes(createEventCatalogue())
  const env = { requestId: 'request-1' }
  const statusFor = async (query: string) => (await routes.request(`/api/v1/openapi.json${query}`, {}, env)).status
  expect([await statusFor(''), await statusFor('?version=2')]).toEqual([200, 400])
})

it('makes the description for its first reader, not at the start', async () => {
  const catalogue = createEventCatalogue()
  const readNames = vi.fn(() => catalogue.names)
  const routes = createDocumentationRoutes(Object.defineProperty({ ...catalogue }, 'names', { get: readNames }))
  expect(readNames).not.toHaveBeenCalled()
  await routes.request('/api/v1/openapi.json')
  expect(readNames).toHaveBeenCalled()
})

it('serves the JSON Schema that the SDL names', async () => {
  const [path] = /\/api\/v1\/schemas\/[\w.-]+\.json/.exec(typeDefs) ?? ['']
  const answer = await createDocumentationRoutes(createEventCatalogue()).request(path)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/schema+json'])
  const schema = (await answer.json()) as { properties: Record<string, unknown> }
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['person', 'verifications']))
})
