import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConnection } from '../../src/engine/sqlite/open.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { migrate } from '../../src/engine/sqlite/migrate.js'
import { startOfTests, uuid } from '../samples.js'
import { testFolder } from './sqlite-files.js'

const atMs = startOfTests.getTime()

/** Which app recorded, and what that left: the last one counts, whichever app it is of. */
const histories = [
  { user: 'of one app', steps: ['b UNVERIFIED', 'b PASS', 'b PASS'], status: 'PASS' },
  { user: 'not yet', steps: ['a UNVERIFIED', 'b UNVERIFIED'], status: 'UNVERIFIED' },
  { user: 'last in the first app', steps: ['c PASS', 'b PASS', 'a PASS_INTERNATIONAL'], status: 'PASS_INTERNATIONAL' },
  { user: 'last in the second', steps: ['a PASS', 'c PASS', 'b PASS_INTERNATIONAL'], status: 'PASS_INTERNATIONAL' },
  { user: 'last in the third', steps: ['a PASS', 'b PASS', 'c PASS_INTERNATIONAL'], status: 'PASS_INTERNATIONAL' },
  { user: 'again', steps: ['a PASS', 'c PASS', 'a PASS_INTERNATIONAL', 'c PASS'], status: 'PASS' },
] as const

test('statuses of a database of 0009 are what the newest verification left, over all apps', async () => {
  const path = join(testFolder(), 'kyc.db')
  const { client, close } = openConnection({ path })
  const untilThen = () =>
    migrate(
      client,
      'sqlite',
      () => startOfTests,
      ({ number, state }) => {
        if (number === 10 && state === 'applying') throw new Error('here')
      },
    )
  expect(untilThen).toThrow()
  const insert = client.prepare(
    `INSERT INTO kyc_relay_verifications (verification_id, app_id, user_id, external_verification_id,
      external_verification_provider, schema_version, decision, decisioned_at, recorded_at, country_code, result_status,
      result_message, payload_digest, sealed_details)
    VALUES (?, ?, ?, ?, 'CUSTOM', '1.0', 'PASSED', ${atMs}, ${atMs}, 'US', 'VERIFIED', 'recorded', x'00', x'00')`,
  )
  const log = client.prepare(`INSERT INTO kyc_relay_kyc_status_log VALUES (?, ?, 'UNVERIFIED', ?, ${atMs})`)
  for (const { user, steps } of histories) {
    for (const [index, step] of steps.entries()) {
      const [app = '', next] = step.split(' ')
      const name = `${user} ${index}`
      const { lastInsertRowid } = insert.run(uuid(name), app, uuid(user), name)
      log.run(lastInsertRowid, uuid(user), next)
    }
  }
  close()

  const { verifications, close: closeStorage } = await createSqliteStorage({ path })
  for (const { user, status } of histories) {
    expect({ user, status: await verifications.findKycStatus(uuid(user)) }).toEqual({ user, status })
  }
  expect(await verifications.findKycStatus(uuid('nobody'))).toBe('UNVERIFIED')
  await closeStorage()
})
