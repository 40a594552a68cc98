import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { app, read, root } from './container-files.js'

const workflows = join(root, '.github/workflows')

it.each(readdirSync(workflows))('every action of %s is pinned by the commit of a release', (name) => {
  const text = read(join(workflows, name))
  const used = text.split('\n').filter((line) => /\buses:/.test(line))
  expect(used.filter((line) => !/ uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  const { jobs } = parse(text) as { jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string }[] }>> }
  const steps = Object.values(jobs).flatMap(({ steps }) => steps)
  expect(steps.filter(({ uses }) => uses !== undefined)).toHaveLength(used.length)
})

it('every image that is fetched is pinned by digest, with its registry and version named', () => {
  const images = [join(app, 'Dockerfile'), join(app, 'compose.yaml')].flatMap((path) =>
    [...read(path).matchAll(/^(?:ARG \w+_IMAGE=|FROM | +image: )(\S+)/gm)].flatMap(([, image]) => image ?? []),
  )
  const ours = images.filter((image) => image.startsWith('$') || image === 'kyc-relay/reference-server:local')
  const fetched = images.filter((image) => !ours.includes(image))
  expect([ours.length, fetched.length]).toEqual([3, 4])
  for (const image of fetched)
    expect(image).toMatch(
      /^docker\.io\/library\/(?:node|postgres):\d+\.\d+(?:\.\d+)?-bookworm(?:-slim)?@sha256:[0-9a-f]{64}$/,
    )
})
