import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'

/** How a server that ends over its database says so. */
const said =
  /the database failed; ending|the database files were removed or replaced; ending|The database file is damaged|The database has lost commits/
const mebibyte = 1_048_576
const limit = (child, kind, value) => spawnSync('prlimit', [`--pid=${child.pid}`, `--${kind}=${value}:`])

/** A plan for the library of `faults.c`, from some call on. */
const failing = (name, most) => ({
  strike: ({ setPlan, random }) => setPlan(`${name} ${1 + random.whole(most)}`),
  mayEnd: said,
})

/** Each fault: `strike` begins it under load, `lift` ends it. `mayEnd` is what a server must have said that ended itself. */
export const faults = {
  EIO: failing('EIO', 400),
  ENOSPC: failing('ENOSPC', 400),
  'full disk': { strike: ({ setPlan, random }) => setPlan(`FULL ${random.whole(mebibyte)}`), mayEnd: said },
  'read-only disk': failing('EROFS', 1),
  'clock forwards': { strike: ({ setPlan }) => setPlan('CLOCK 60') },
  'clock backwards': { strike: ({ setPlan }) => setPlan('CLOCK -60') },
  descriptors: {
    strike: ({ server }) => limit(server.child, 'nofile', 24),
    lift: ({ server }) => limit(server.child, 'nofile', 1_024),
    mayEnd: said,
  },
  memory: {
    variables: { NODE_OPTIONS: '--max-old-space-size=48' },
    strike: () => undefined,
    mayEnd: /heap out of memory|heap limit/,
  },
  'replaced file': {
    strike({ copyTo, move }) {
      copyTo('kyc.db', 'other.db')
      move('kyc.db', 'right.db')
      move('other.db', 'kyc.db')
    },
    mayEnd: said,
    mustEnd: true,
    afterwards: ({ move }) => move('right.db', 'kyc.db'),
  },
  'damaged page': {
    strike: () => undefined,
    /** The server has ended. Started on a damaged copy, it must refuse. */
    async afterwards({ dataDir, copyTo, move, startOther, violations, random }) {
      const names = ['kyc.db', 'kyc.db-wal', 'kyc.db-shm', 'kyc.db.commits']
      // The write-ahead log of a killed server heals pages: a calm end empties it.
      const calm = startOther()
      await calm.started
      await calm.end('SIGTERM')
      const present = names.filter((name) => {
        try {
          copyTo(name, `kept-${name}`)
          return true
        } catch {
          return false
        }
      })
      const file = openSync(path.join(dataDir, 'kyc.db'), 'r+')
      const pages = Math.floor(fstatSync(file).size / 4_096)
      // The header of a page, which every check reads. The first page is that of the file.
      writeSync(file, Buffer.alloc(64, 0xee), 0, 64, 4_096 * (1 + random.whole(Math.min(40, pages - 1))))
      closeSync(file)
      const damaged = startOther()
      if ((await damaged.started) !== null) violations.push('with a damaged page the server started')
      else if (!said.test(damaged.output()))
        violations.push(`with a damaged page the server did not say why it ended: ${damaged.output().slice(-200)}`)
      await damaged.end('SIGKILL')
      for (const name of present) move(`kept-${name}`, name)
    },
  },
  'two servers': {
    async strike({ startOther, violations }) {
      const other = startOther()
      if ((await other.started) !== null) violations.push('a second server started on the same files')
      else if (!/WORKER_LOCKED|another/i.test(other.output()))
        violations.push('the second server did not say why it ended')
      await other.end('SIGKILL')
    },
  },
  'drops writes': { ...failing('LIE', 50), isBug: true },
}
