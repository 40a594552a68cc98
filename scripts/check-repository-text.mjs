// What no tool looks at: names that say nothing, paths of one machine, registry hosts, secrets, leftovers.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './published-packages.mjs'

const problems = []
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
}).split('\0')

const emptyNames = /(?:^|\/)(?:utils?|helpers?|common|misc|manager|lib)(?:\.[^/]*)?(?=\/|$)/
const forbidden = [
  // Written apart so that this file does not find itself.
  {
    pattern: new RegExp(String.raw`\.\./${'shared'}\b|\b${'shared'}/(?:spec|design|reference|data)\b`),
    why: 'a path outside of the repository',
  },
  {
    pattern: new RegExp(`(?<![\\w.])/(?:${['work', 'root', 'home'].join('|')})/[\\w.-]+`),
    why: 'a path of one machine',
  },
  { pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*\n[A-Za-z0-9+/]/, why: 'a private key' },
  { pattern: /\b(?:npm_[A-Za-z0-9]{36}|gh[pousr]_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16})\b/, why: 'an access token' },
  { pattern: /^(?:<{7}|>{7}) /m, why: 'a merge conflict' },
]

for (const file of files) {
  if (file === '') continue
  if (emptyNames.test(file)) problems.push(`${file}: the name does not say what the file holds`)
  let content
  try {
    content = readFileSync(path.join(root, file))
  } catch (error) {
    if (error.code === 'ENOENT') continue // removed in the working tree, still in the index
    throw error
  }
  if (content.includes(0)) continue // binary
  const text = content.toString('utf8')
  for (const { pattern, why } of forbidden) {
    const match = pattern.exec(text)
    if (match) problems.push(`${file}:${text.slice(0, match.index).split('\n').length}: ${why}: ${match[0].trim()}`)
  }
}

/** Whether the lockfile holds what `name` resolves to from `location`. */
function isLocked(location, name) {
  for (let folder = location; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in lockfile.packages) return true
    if (folder === '') return false
  }
}

// Links between files, in Markdown outside of code.
for (const file of files.filter((name) => name.endsWith('.md') && existsSync(path.join(root, name)))) {
  const text = readFileSync(path.join(root, file), 'utf8')
    .replace(/^ *```.*\n[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '')
  for (const [, target] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)) {
    if (!existsSync(path.join(root, path.dirname(file), target)))
      problems.push(`${file}: links to ${target}, which is not there`)
  }
}

// Where something is said to be: by the end of a path. Guides name files of their readers.
const isNamedAfter = (name) => files.some((file) => file === name || file.endsWith(`/${name}`))
for (const page of ['ARCHITECTURE.md', 'SECURITY.md', 'docs/security-model.md']) {
  for (const [, name] of readFileSync(path.join(root, page), 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|[cm]?js|sql))`/g)) {
    if (!isNamedAfter(name)) problems.push(`${page}: names ${name}, which is not there`)
  }
}

// Sections of the contract, as comments cite them.
const contract = readFileSync(path.join(root, 'docs/contract.md'), 'utf8')
const sections = new Set([...contract.matchAll(/^#+ (\d+(?:\.\d+)?) /gm)].map(([, number]) => number))
for (const file of files.filter((name) => /\.(?:tsx?|sql)$/.test(name) && existsSync(path.join(root, name)))) {
  for (const [, number] of readFileSync(path.join(root, file), 'utf8').matchAll(
    /docs\/contract\.md[\s*]+(\d[\d.]*\d|\d)/g,
  )) {
    if (!sections.has(number)) problems.push(`${file}: cites section ${number} of docs/contract.md, which is not there`)
  }
}

// Decisions: chapters that the list names, and of each decision a question, a choice, a reason and a cost, in 150 words.
const chapters = files.filter((name) => /^docs\/decisions\/[\w-]+\.md$/.test(name) && existsSync(path.join(root, name)))
const listed = readFileSync(path.join(root, 'docs/decisions/README.md'), 'utf8')
for (const chapter of chapters.filter((name) => !name.endsWith('/README.md'))) {
  if (!listed.includes(`](${path.basename(chapter)})`))
    problems.push(`docs/decisions/README.md: does not list ${chapter}`)
  for (const decision of readFileSync(path.join(root, chapter), 'utf8').split(/^## /m).slice(1)) {
    const [question, ...body] = decision.split('\n')
    const [choice, ...rest] = body.filter((line) => line.trim() !== '' && !line.startsWith('|'))
    const words = [choice, ...rest]
      .join(' ')
      .replace(/\]\([^)]*\)/g, ']')
      .split(/\s+/).length
    const problem = (text) => problems.push(`${chapter}: "${question}" ${text}`)
    if (!question.endsWith('?')) problem('is not a question')
    if (choice === undefined || choice.startsWith('**')) problem('does not begin with the choice')
    if (rest.filter((line) => line.startsWith('**Why.** ')).length !== 1) problem('needs one **Why.**')
    if (rest.filter((line) => line.startsWith('**Cost.** ')).length !== 1) problem('needs one **Cost.**')
    if (words > 150) problem(`has ${words} words, more than 150`)
  }
}

const { allowScripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const lockfile = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
for (const [location, { resolved, optionalDependencies, hasInstallScript }] of Object.entries(lockfile.packages)) {
  if (/^(?:https?|git|ssh)/.test(resolved ?? '')) problems.push(`package-lock.json: ${location} names a registry host`)
  // The root itself has no entry.
  if (
    hasInstallScript &&
    location !== '' &&
    !(location.slice(location.lastIndexOf('node_modules/') + 13) in allowScripts)
  ) {
    problems.push(`package.json: allowScripts does not say whether ${location} may run its install script`)
  }
  // npm drops native packages of other platforms that the registry did not have at that moment; `npm ci` then fails.
  for (const name of Object.keys(optionalDependencies ?? {})) {
    if (!isLocked(location, name)) problems.push(`package-lock.json: ${location} needs ${name}, which is missing`)
  }
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
