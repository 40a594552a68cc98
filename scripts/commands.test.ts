import { execFileSync } from 'node:child_process'
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
