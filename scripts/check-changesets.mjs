// Every published package has a changelog entry for its version, or a changeset that is going to write one.
// Where the main branch of the origin is known, a change to a package since then also needs a changeset of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { publishedPackages, root } from './published-packages.mjs'

const folder = path.join(root, '.changeset')
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const problems = []
const announced = new Map() // package name → changeset files
for (const file of readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')) {
  const [, frontMatter, text] = /^---\n(.*?)\n?---\n(.*)$/s.exec(readFileSync(path.join(folder, file), 'utf8')) ?? []
  if (frontMatter === undefined) {
    problems.push(`.changeset/${file}: no front matter`)
    continue
  }
  if (text.trim() === '') problems.push(`.changeset/${file}: says nothing to users`)
  for (const line of frontMatter.split('\n').filter((part) => part.trim() !== '')) {
    const [, name, bump] = /^["']?([^"':\s]+)["']?: *(\w+)$/.exec(line.trim()) ?? []
    if (!publishedPackages.some(({ manifest }) => manifest.name === name)) {
      problems.push(`.changeset/${file}: “${line}” names no published package`)
    } else if (!['major', 'minor', 'patch'].includes(bump)) {
      problems.push(`.changeset/${file}: “${line}” is neither major, minor nor patch`)
    } else announced.set(name, [...(announced.get(name) ?? []), file])
  }
}

let mainCommit = null
try {
  mainCommit = git('merge-base', 'HEAD', 'origin/main').trim()
} catch {
  // no origin, or a shallow checkout: the presence check below still holds
}
for (const { name, manifest } of publishedPackages) {
  const changelog = path.join(root, 'packages', name, 'CHANGELOG.md')
  const released = existsSync(changelog) && readFileSync(changelog, 'utf8').includes(`\n## ${manifest.version}\n`)
  if (!released && !announced.has(manifest.name)) {
    problems.push(
      `${manifest.name} ${manifest.version}: neither a changeset nor a changelog entry (run: npx changeset)`,
    )
  }
  if (mainCommit === null || mainCommit === git('rev-parse', 'HEAD').trim()) continue
  const changed = git(
    'diff',
    '--name-only',
    mainCommit,
    'HEAD',
    '--',
    `packages/${name}/src`,
    `packages/${name}/package.json`,
  )
  const added = git('diff', '--name-only', mainCommit, 'HEAD', '--', '.changeset', `packages/${name}/CHANGELOG.md`)
  if (changed !== '' && added === '') {
    problems.push(`${manifest.name}: changed since main without a changeset (run: npx changeset)`)
  }
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
