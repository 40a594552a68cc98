import type { SubmissionPolicy } from '@kyc-relay/kyc-core'
import * as z from 'zod'
import { listOf } from '../setting-types.js'

/** Names of providers besides `CUSTOM`. */
export const kycProviders = listOf(/^[A-Za-z0-9_.-]{1,64}$/)

/**
 * All policy settings except `providers`, which is `KYC_PROVIDERS`. Unknown names are refused: with a misspelt name the
 * default would apply.
 */
const switches = z
  .strictObject({
    acceptItin: z.boolean(),
    rejectKnownSampleSsns: z.boolean(),
    strictAddresses: z.boolean(),
    extraCountries: z.array(z.string().regex(/^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/)),
    allowAbsentLastName: z.boolean(),
    lenientOnFailed: z.boolean(),
    maxDecisionAgeDays: z.int().min(1),
    allowLoopbackPhotos: z.boolean(),
  } satisfies Record<keyof Omit<SubmissionPolicy, 'providers'>, z.ZodType>)
  .partial()

/** Settings of the submission policy, as JSON text. */
export const submissionPolicy = {
  type: z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom' })
        return z.NEVER
      }
    })
    .pipe(switches),
  expected:
    'a JSON object of acceptItin, rejectKnownSampleSsns, strictAddresses, allowAbsentLastName, lenientOnFailed, ' +
    'allowLoopbackPhotos (each true or false), extraCountries (a list of user-assigned codes: AA, QM to QZ, XA to XZ, ZZ), ' +
    'maxDecisionAgeDays (a whole number from 1)',
}
