import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { heapGrowth } from '../../src/operations/heap-growth.js'

it('the setting that bounds the heap is one that this version of Node has', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  expect(known).toContain(`${heapGrowth.split('=')[0]} `)
})
