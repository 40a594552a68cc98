import type { UserRecords } from '../../src/user-records/user-records.js'
import { userRecordsCases } from '../../src/testing/index.js'
import { testTheCases, type Spoil, type WrongStorage } from './wrong-storage.js'

const wrong =
  (change: (right: UserRecords) => Partial<UserRecords>): Spoil =>
  ({ userRecords }) => ({ userRecords: { ...userRecords, ...change(userRecords) } })

const wrongStores: readonly WrongStorage[] = [
  [
    'begins each page with the last row of the one before',
    'UX-01',
    wrong((right) => ({
      listEvents: ({ after, ...page }) =>
        right.listEvents({ ...page, ...(after === undefined ? {} : { after: after - 1 }) }),
    })),
  ],
  [
    'leaves out what was not sent',
    'UX-02',
    wrong((right) => ({
      async listEvents(page) {
        const found = await right.listEvents(page)
        return { ...found, items: found.items.filter(({ withheld }) => withheld === null) }
      },
    })),
  ],
  [
    'lists the events of all users of the app',
    'UX-03',
    ({ userRecords }, { database }) => ({
      userRecords: {
        ...userRecords,
        listEvents(page) {
          database.prepare('UPDATE kyc_relay_events SET user_id = ? WHERE app_id = ?').run(page.userId, page.appId)
          return userRecords.listEvents(page)
        },
      },
    }),
  ],
  [
    'stops after the first page',
    'UX-04',
    wrong((right) => ({
      listTransactions: async (page) => ({ ...(await right.listTransactions(page)), next: null }),
    })),
  ],
  [
    'leaves out what was blanked',
    'UX-05',
    wrong((right) => ({
      async listEvents(page) {
        const found = await right.listEvents(page)
        return { ...found, items: found.items.filter(({ body }) => body !== null) }
      },
    })),
  ],
  [
    'reads no revoked grants',
    'UX-06',
    wrong((right) => ({ readAccess: async (userId) => ({ ...(await right.readAccess(userId)), revokedGrants: [] }) })),
  ],
]

testTheCases(userRecordsCases, wrongStores)
