import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

interface Published {
  readonly root: string
  readonly publishedPackages: readonly {
    readonly folder: string
    readonly manifest: { readonly bin?: Readonly<Record<string, string>> }
  }[]
}

const { publishedPackages, root } = (await import(
  new URL('./published-packages.mjs', import.meta.url).href
)) as Published

const commands = publishedPackages.flatMap(({ folder, manifest }) =>
  Object.entries(manifest.bin ?? {}).map(([command, target]) => [command, path.join(folder, target)] as const),
)

// npm leaves out the link of a command whose file is not there when it installs, before anything is built.
test.each(commands)('%s can be linked in a fresh clone', (_command, file) => {
  const [entry = ''] = execFileSync('git', ['ls-files', '--stage', file], { cwd: root, encoding: 'utf8' }).split('\n')
  expect(entry).toMatch(/^100755 /)
})

test.each(commands)('%s --help', (command, file) => {
  expect(execFileSync(process.execPath, [file, '--help'], { encoding: 'utf8' })).toContain(`${command}: `)
})

test('npm run use:better-sqlite3-13 changes every workspace that names the driver', () => {
  const manifest = (folder: string) =>
    JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Partial<
      Record<'scripts' | 'dependencies' | 'devDependencies', Record<string, string>>
    >
  const command = manifest('.').scripts?.['use:better-sqlite3-13'] ?? ''
  const files = execFileSync('git', ['ls-files', 'apps/*/package.json', 'packages/*/package.json', '*/package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const folders = [...new Set(files.trim().split('\n').map(path.dirname))]
  for (const list of ['dependencies', 'devDependencies'] as const) {
    const step = command.split('&&').find((part) => part.includes(` ${list}.better-sqlite3=^13 `)) ?? ''
    const named = [...step.matchAll(/-w (\S+)/g)].map(([, folder]) => folder)
    expect(named.toSorted()).toEqual(folders.filter((folder) => manifest(folder)[list]?.['better-sqlite3']).toSorted())
  }
})
