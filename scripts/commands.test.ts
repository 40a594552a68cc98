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

const { driverToInstall } = (await import(new URL('./fit-better-sqlite3.mjs', import.meta.url).href)) as {
  driverToInstall(nodeVersion: string, installedVersion: string): string | null
}

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

test.each([
  ['20.19.0', '12.11.1', null],
  ['22.0.0', '12.11.1', '^13'],
  ['24.19.0', '12.11.1', '^13'],
  ['24.19.0', '13.2.0', null],
  ['26.0.0', '14.0.0', null],
])('Node %s with better-sqlite3 %s installs %s', (node, installed, version) => {
  expect(driverToInstall(node, installed)).toBe(version)
})

test('every workspace accepts both versions of the driver, so that one is installed for all', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*/package.json', 'packages/*/package.json', '*/package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const ranges = [...new Set(files.trim().split('\n'))].flatMap((file) => {
    const manifest = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Partial<
      Record<'dependencies' | 'devDependencies', Record<string, string>>
    >
    return [manifest.dependencies, manifest.devDependencies].flatMap((list) => list?.['better-sqlite3'] ?? [])
  })
  expect(ranges.length).toBeGreaterThan(1)
  expect(new Set(ranges)).toEqual(new Set(['12.11.1 || ^13']))
})
