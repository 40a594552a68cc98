import type { LatestVerification, VerificationOverview } from '../../../src/storage/verification-overview.js'
import { verificationOverviewCases } from '../verification-overview-cases.js'
import { testServerStores, type Spoil, type WrongStorage } from './wrong-server-stores.js'

type Page = Parameters<VerificationOverview['listLatest']>[0]

const onRows =
  (change: (rows: readonly LatestVerification[], page: Page) => readonly LatestVerification[]): Spoil =>
  ({ overview }) => ({
    overview: { ...overview, listLatest: async (page) => change(await overview.listLatest(page), page) },
  })

const onPage =
  (change: (page: Page) => Page): Spoil =>
  ({ overview }) => ({ overview: { ...overview, listLatest: (page) => overview.listLatest(change(page)) } })

const wrongOverviews: readonly WrongStorage[] = [
  [
    'has no empty list',
    'VO-01',
    onRows((rows) => {
      if (rows.length === 0) throw new Error('nothing found')
      return rows
    }),
  ],
  [
    'cannot begin with an empty list',
    'VO-01',
    onRows((rows, { before }) => {
      if (rows.length === 0 && before === undefined) throw new Error('nothing found')
      return rows
    }),
  ],
  [
    'refuses long pages',
    'VO-02',
    onPage((page) => {
      if (page.limit > 100) throw new Error('too many')
      return page
    }),
  ],
  [
    'repeats the last row of a page on the next',
    'VO-04',
    ({ overview }) => ({
      overview: {
        ...overview,
        async listLatest(page) {
          const all = await overview.listLatest({ limit: 200 })
          const last = all.find(({ verificationId }) => verificationId === page.before)
          const rows = await overview.listLatest(page)
          return last === undefined ? rows : [last, ...rows].slice(0, page.limit)
        },
      },
    }),
  ],
  ['lists the oldest first', 'VO-02', onRows((rows) => [...rows].reverse())],
  [
    'shows the whole row',
    'VO-03',
    onRows((rows) => rows.map((row) => ({ ...row, sealedDetails: new Uint8Array([1]) }))),
  ],
  ['always gives the first page', 'VO-04', onPage(({ limit }) => ({ limit }))],
  [
    'goes on only from a row that it holds',
    'VO-05',
    ({ overview }) => ({
      overview: {
        ...overview,
        async listLatest(page) {
          const all = await overview.listLatest({ limit: 200 })
          const known = page.before === undefined || all.some(({ verificationId }) => verificationId === page.before)
          return known ? overview.listLatest(page) : []
        },
      },
    }),
  ],
  ['forgets', 'VO-06', 'forgets on closing'],
  [
    'gives the newest where the oldest are asked for',
    'VO-07',
    ({ overview }) => ({
      overview: { ...overview, listVaultReferences: (page) => overview.listVaultReferences({ ...page, of: 'newest' }) },
    }),
  ],
  [
    'ignores a filter',
    'VO-10',
    ({ overview }) => ({
      overview: {
        ...overview,
        listOfApp: ({ appId, limit, after = '' }) => overview.listOfApp({ appId, limit, after }),
      },
    }),
  ],
  [
    'finds some owner for any id',
    'VO-09',
    ({ overview }) => ({
      overview: {
        ...overview,
        findOwner: async (id) => (await overview.findOwner(id)) ?? { appId: '', userId: '' },
      },
    }),
  ],
  [
    'leaves out what has no token',
    'VO-08',
    ({ overview }) => ({
      overview: {
        ...overview,
        listVaultReferences: async (page) =>
          (await overview.listVaultReferences(page)).filter(({ tokens }) => tokens.length > 0),
      },
    }),
  ],
]

testServerStores(verificationOverviewCases, wrongOverviews)
