import * as z from 'zod'
import { pageLimit } from '../http/page-limit.js'
import { isStorable } from '../http/stored-text.js'
import { givenUuid, instant, uuid } from './webhook-schemas.js'

/** Largest page. A larger `limit` is reduced to it. */
const maxPage = 100

const resultStatus = z
  .enum(['VERIFIED', 'ALREADY_VERIFIED', 'DECLINED'])
  .meta({ description: '`status` of the answer to the submission.' })

export const verificationQuery = z.object({
  after: z.string().max(500).optional().meta({ description: '`nextCursor` of the previous page. Absent: the oldest.' }),
  externalVerificationId: z
    .string()
    .max(255)
    .refine(isStorable)
    .optional()
    .meta({ description: 'Id that the app gave.' }),
  userId: givenUuid.optional().meta({ description: 'UUID of the user.' }),
  status: resultStatus.optional(),
  limit: pageLimit(maxPage, maxPage),
})

export const verificationPage = z
  .object({
    items: z.array(
      z.object({
        verificationId: uuid,
        externalVerificationId: z.string(),
        userId: z.guid(),
        decision: z.enum(['PASSED', 'FAILED']),
        status: resultStatus,
        declineCodes: z.array(z.string()).meta({ description: 'Names of the `FAILED` checks.' }),
        photos: z.array(
          z.object({
            side: z.enum(['front', 'back', 'selfie']),
            state: z.enum(['PENDING', 'RETRYING', 'STORED', 'REFUSED', 'UNAVAILABLE', 'ERASED']),
          }),
        ),
        recordedAt: instant,
      }),
    ),
    nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'VerificationPage' })
