import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openConnection } from '../../src/engine/sqlite/open.js'
import { createSqliteVault } from '../../src/sqlite/index.js'
import { migrate } from '../../src/engine/sqlite/migrate.js'
import { startOfTests } from '../samples.js'
import { cipher, expectAllErased, rowOfProcessOf0002, rowsOf0002 } from '../tokens-of-0002.js'
import { testFolder } from './sqlite-files.js'

const literals = { bytes: `x'07'`, instant: '0' }

test('tokens that do not refer to a data key are erased with their owner, and new ones refer to theirs', async () => {
  const path = join(testFolder(), 'vault.db')
  const { client, close } = openConnection({ path })
  const untilThen = () =>
    migrate(
      client,
      'sqlite-vault',
      () => startOfTests,
      ({ number, state }) => {
        if (number === 3 && state === 'applying') throw new Error('here')
      },
    )
  expect(untilThen).toThrow()
  client.exec(rowsOf0002(literals))

  const vault = await createSqliteVault({ path }, { cipher })
  client.exec(rowOfProcessOf0002(literals))
  const dataKeys = client.prepare('SELECT data_key FROM kyc_relay_vault_tokens ORDER BY position').pluck()
  await expectAllErased(vault, () => Promise.resolve(dataKeys.all()))
  await vault.close()
  close()
})
