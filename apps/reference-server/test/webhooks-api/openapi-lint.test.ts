import { fileURLToPath } from 'node:url'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { describe, expect, it } from 'vitest'
import { createEventCatalogue } from '../../src/events/event-catalogue.js'
import { partnerDocument } from '../../src/webhooks-api/openapi-document.js'
import { webhookOperations } from '../../src/webhooks-api/webhook-operations.js'

const document = partnerDocument(Object.values(webhookOperations), createEventCatalogue())

/** The rules that `npx redocly lint` takes in this repository. */
const redoclyFile = fileURLToPath(new URL('../../../../redocly.yaml', import.meta.url))

async function redocly(source: unknown): Promise<string[]> {
  const config = await loadConfig({ configPath: redoclyFile })
  const problems = await lintFromString({ source: JSON.stringify(source), config })
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

async function spectral(source: unknown): Promise<string[]> {
  const linter = new spectralCore.Spectral()
  linter.setRuleset({ extends: [spectralRulesets.oas as never] })
  const problems = await linter.run(source as Record<string, unknown>)
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
}

describe.each([
  ['Redocly', redocly],
  ['Spectral', spectral],
] as const)('the recommended rules of %s', (_name, lint) => {
  it('find nothing, not even a warning', async () => {
    expect(await lint(document)).toEqual([])
  })

  it('find an example that its schema refuses, here and in a webhook', async () => {
    const broken = structuredClone(document) as unknown as {
      paths: Record<
        string,
        Record<string, { responses: Record<string, { content: Record<string, { example: { items: unknown } }> }> }>
      >
      webhooks: Record<string, { post: { requestBody: { content: Record<string, { example: { amount: unknown } }> } } }>
    }
    const answer = broken.paths['/api/v1/webhooks']?.['get']?.responses['200']?.content['application/json']
    const event = broken.webhooks['WIDGET_DEPOSIT_COMPLETE']?.post.requestBody.content['application/json']
    if (answer === undefined || event === undefined) throw new Error('the document has no such part')
    answer.example.items = 'canary'
    event.example.amount = 'canary'
    expect(await lint(broken)).toHaveLength(2)
  })
})
