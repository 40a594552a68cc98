import type { VerificationStore } from '@kyc-relay/kyc-core'
import { expect } from 'vitest'
import type { VerificationOverview } from '../src/verification-overview.js'
import { startOfTests, submission, uuid } from './samples.js'

/** What a `VerificationOverview` must do, for every engine. */
export const verificationOverviewCases: readonly {
  readonly name: string
  run(opened: { readonly overview: VerificationOverview; readonly verifications: VerificationStore }): Promise<void>
}[] = [
  {
    name: 'is empty where nothing was recorded',
    async run({ overview }) {
      expect(await overview.listLatest({ limit: 10 })).toEqual([])
    },
  },
  {
    name: 'lists verifications of every app and user by descending id, page by page, nothing sealed',
    async run({ overview, verifications }) {
      for (const name of ['one', 'two', 'three']) {
        await verifications.record(submission(name, { key: { appId: uuid(`app ${name}`), userId: uuid(name) } }))
      }
      const ids = ['one', 'two', 'three']
        .map((name) => uuid(`verification ${name}`))
        .sort()
        .reverse()
      const first = await overview.listLatest({ limit: 2 })
      expect(first.map((row) => row.verificationId)).toEqual(ids.slice(0, 2))
      const second = await overview.listLatest({ limit: 2, before: first[1]?.verificationId ?? '' })
      expect(second.map((row) => row.verificationId)).toEqual(ids.slice(2))
      const one = [...first, ...second].find((row) => row.userId === uuid('one'))
      expect(one).toEqual({
        verificationId: uuid('verification one'),
        appId: uuid('app one'),
        userId: uuid('one'),
        decision: 'PASSED',
        resultStatus: 'VERIFIED',
        recordedAt: startOfTests,
      })
    },
  },
  {
    name: 'refuses a page of no or too many rows',
    async run({ overview }) {
      for (const limit of [0, -1, 201, 1.5]) {
        await expect(overview.listLatest({ limit })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
      }
    },
  },
]
