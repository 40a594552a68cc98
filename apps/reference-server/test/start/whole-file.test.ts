import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type * as Files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const done: string[] = []
let fails: string | null = null

/** Notes what is done to files, in its order. */
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof Files>()
  const kind = (path: unknown) => (basename(String(path)).includes('.unfinished') ? 'unfinished' : 'place')
  const note = (what: string) => {
    done.push(what)
    if (fails === what) throw Object.assign(new Error(what), { code: 'ENOSPC' })
  }
  return {
    ...files,
    async open(path: string, flags: string, mode?: number) {
      const handle = await files.open(path, flags, mode)
      const of = flags === 'r' ? 'folder' : kind(path)
      const { writeFile, sync } = handle
      handle.writeFile = async (bytes: string) => {
        note(`write ${of}`)
        await writeFile.call(handle, bytes)
      }
      handle.sync = async () => {
        note(`sync ${of}`)
        await sync.call(handle)
      }
      return handle
    },
    async rename(from: string, to: string) {
      note(`rename ${kind(from)} ${kind(to)}`)
      await files.rename(from, to)
    },
    async link(from: string, to: string) {
      note(`link ${kind(from)} ${kind(to)}`)
      await files.link(from, to)
    },
  }
})

const { createFile, replaceFile } = await import('../../src/start/whole-file.js')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-whole-file-'))
  done.length = 0
  fails = null
})
afterEach(() => rmSync(folder, { recursive: true }))

const ways = [
  ['replaceFile', replaceFile, 'rename unfinished place'],
  ['createFile', createFile, 'link unfinished place'],
] as const

it.each(ways)('%s syncs the file before it has its name, and the folder after', async (_name, write, named) => {
  await write(join(folder, 'keys.json'), { bytes: 'whole' })
  expect(done).toEqual(['write unfinished', 'sync unfinished', named, 'sync folder'])
  expect(readdirSync(folder)).toEqual(['keys.json'])
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).toBe('whole')
})

it.each(
  ways.flatMap(([name, write, named]) =>
    ['write unfinished', 'sync unfinished', named].map((what) => [name, what, write] as const),
  ),
)('%s that fails at "%s" leaves nothing', async (_name, what, write) => {
  fails = what
  await expect(write(join(folder, 'keys.json'), { bytes: 'whole' })).rejects.toThrow(what)
  expect(readdirSync(folder)).toEqual([])
})

it('createFile keeps what is there', async () => {
  const path = join(folder, 'keys.json')
  writeFileSync(path, 'former')
  expect(await createFile(path, { bytes: 'whole' })).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('former')
  expect(readdirSync(folder)).toEqual(['keys.json'])
})
