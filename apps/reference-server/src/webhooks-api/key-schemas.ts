import * as z from 'zod'
import { givenUuid, instant, uuid } from './webhook-schemas.js'

export const keyRotationDryRunRequest = z
  .strictObject({ endpointId: givenUuid.meta({ description: 'Endpoint to send the test events to.' }) })
  .meta({ id: 'KeyRotationDryRunRequest' })

const keyState = z.enum(['SIGNING', 'WAITING', 'RETIRING']).meta({
  id: 'KeyState',
  description:
    '`SIGNING` signs now; `WAITING` signs once activated; `RETIRING` may read until `retiredAt` and change nothing.',
})

export const apiKey = z
  .object({
    version: z.int().min(1),
    state: keyState,
    createdAt: instant,
    signsFrom: instant,
    retiredAt: instant.nullable(),
  })
  .meta({ id: 'ApiKey', description: 'A version of the API key. The key itself is shown once, when it is created.' })

export const apiKeyList = z.object({ items: z.array(apiKey) }).meta({ id: 'ApiKeyList' })

export const rotatedKey = z
  .object({
    apiKey: z.string().meta({ description: 'The key, shown only here. The API accepts it at once.' }),
    version: z.int(),
    signsFrom: instant.meta({ description: 'Time from which it signs webhooks, or earlier after its activation.' }),
  })
  .meta({ id: 'RotatedKey' })

export const activated = z.object({ activated: z.literal(true) }).meta({ id: 'Activated' })

const dryRunResult = z.object({
  key: z.enum(['SIGNING', 'WAITING']),
  version: z.int(),
  xEventId: uuid,
  accepted: z.boolean(),
  httpStatus: z.int().nullable(),
  cause: z.string().nullable(),
  explanation: z.object({ cause: z.string(), nextStep: z.string(), registerUrl: z.string().nullable() }),
})

export const keyRotationDryRun = z
  .object({
    endpointId: uuid,
    url: z.string(),
    ready: z.boolean().meta({ description: 'True if the endpoint accepted both keys, so that activation is safe.' }),
    results: z.array(dryRunResult),
  })
  .meta({
    id: 'KeyRotationDryRun',
    description:
      'Results of a key rotation dry run: one test event for each key, sent once. Neither is in the delivery log.',
  })
