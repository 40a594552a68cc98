import { test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { queueInspectionCases } from '../queue-inspection-cases.js'
import { startOfTests } from '../samples.js'

test.each(queueInspectionCases)('the queue inspection $name', async ({ run }) => {
  let now = startOfTests.getTime()
  const storage = await createSqliteStorage({ path: ':memory:' }, { clock: () => new Date(now) })
  await run({ ...storage, advance: (ms) => void (now += ms) })
})
