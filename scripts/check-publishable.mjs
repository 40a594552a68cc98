// Refuses to publish until somebody has said where the repository is: the address of the owner is not ours to invent.
// `repository`, `homepage` and `bugs` of package.json in the root are the one place; each package must have the same.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { publishedPackages, root } from './published-packages.mjs'

const links = ['repository', 'homepage', 'bugs']
const ofRoot = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const problems = links.filter((link) => ofRoot[link] === undefined).map((link) => `package.json: ${link} is not set`)
for (const { name, manifest } of publishedPackages) {
  for (const link of links) {
    const urlOf = ({ [link]: value }) => (typeof value === 'object' ? value.url : value)
    if (problems.length === 0 && urlOf(manifest) !== urlOf(ofRoot))
      problems.push(`packages/${name}/package.json: ${link} differs from the root`)
  }
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) console.error('Nothing is published until these are set.')
process.exitCode = problems.length === 0 ? 0 : 1
