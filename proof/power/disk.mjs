import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const sectorBytes = 512

/** The records of a journal. `endsAt` is the length of the journal after the record. */
export function* readJournal(bytes) {
  for (let at = 0; at < bytes.length;) {
    const pathLength = bytes.readUInt16LE(at + 1)
    const size = bytes.readUInt32LE(at + 11)
    const dataAt = at + 15 + pathLength
    const endsAt = dataAt + size
    // A process that was killed leaves half a record.
    if (endsAt > bytes.length) return
    yield {
      kind: String.fromCharCode(bytes[at]),
      offset: Number(bytes.readBigUInt64LE(at + 3)),
      path: bytes.toString('utf8', at + 15, dataAt),
      data: bytes.subarray(dataAt, endsAt),
      endsAt,
    }
    at = endsAt
  }
}

function written(content, { kind, offset, data }) {
  if (kind === 't')
    return Buffer.concat([content.subarray(0, offset), Buffer.alloc(Math.max(0, offset - content.length))])
  const end = offset + data.length
  const grown = end > content.length ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : content
  data.copy(grown, offset)
  return grown
}

/**
 * A disk that keeps what was synced, and may lose, keep or tear everything else when the power is cut. A name lasts when its
 * folder was synced; until then the disk has the first few of the changes to names.
 */
export function createDisk() {
  const names = new Map()
  const lasting = new Map()
  let unsyncedNames = []

  function changeName(map, { kind, path: name, to, file }) {
    if (kind === 'u') map.delete(name)
    else if (kind === 'c') map.set(name, file)
    else map.set(to, file)
    if (kind === 'r') map.delete(name)
  }
  function change(one) {
    changeName(names, one)
    unsyncedNames.push(one)
  }
  const fileOf = (name) => {
    // A file that was there before the journal began, or was made by a call that it does not know.
    if (!names.has(name)) change({ kind: 'c', path: name, file: { synced: Buffer.alloc(0), unsynced: [] } })
    return names.get(name)
  }
  const folderOf = ({ kind, path: name, to }) => path.dirname(kind === 'r' || kind === 'l' ? to : name)

  return {
    apply({ kind, path: name, offset, data }) {
      if (kind === 'c') change({ kind, path: name, file: { synced: Buffer.alloc(0), unsynced: [] } })
      else if (kind === 'u') change({ kind, path: name })
      else if (kind === 'r' || kind === 'l') change({ kind, path: name, to: data.toString('utf8'), file: fileOf(name) })
      else if (kind === 's' && names.has(name)) {
        const file = names.get(name)
        file.synced = file.unsynced.reduce(written, file.synced)
        file.unsynced = []
      } else if (kind === 's') {
        for (const one of unsyncedNames) if (folderOf(one) === name) changeName(lasting, one)
        unsyncedNames = unsyncedNames.filter((one) => folderOf(one) !== name)
      } else fileOf(name).unsynced.push({ kind, offset, data })
    },
    /** Writes the files as a disk may have them after a cut now. `root` is moved to `target`. */
    cut({ random, root, target }) {
      const after = new Map(lasting)
      for (const one of unsyncedNames.slice(0, random.whole(unsyncedNames.length + 1))) changeName(after, one)
      const way = random.pick(['none', 'all', 'first', 'some', 'torn'])
      for (const [name, file] of after) {
        // SQLite makes its shared memory anew.
        if (name.endsWith('-shm')) continue
        const place = path.join(target, path.relative(root, name))
        mkdirSync(path.dirname(place), { recursive: true })
        writeFileSync(place, kept(file.unsynced, way, random).reduce(written, Buffer.from(file.synced)), {
          mode: 0o600,
        })
      }
    },
  }
}

/** Those of the unsynced writes that reached the disk. */
function kept(writes, way, random) {
  if (way === 'none') return []
  if (way === 'all') return writes
  if (way === 'first') return writes.slice(0, random.whole(writes.length + 1))
  const some = writes.filter(() => random.chance(0.5))
  return way === 'some' ? some : some.flatMap((one) => torn(one, random))
}

function torn(write, random) {
  if (write.kind === 't') return [write]
  const sectors = []
  for (let at = 0; at < write.data.length; at += sectorBytes) {
    const data = write.data.subarray(at, at + sectorBytes)
    if (random.chance(0.5)) sectors.push({ ...write, offset: write.offset + at, data })
  }
  return sectors
}
