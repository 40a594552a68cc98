import { expect, it } from 'vitest'
import { createLog } from '../../src/operations/log.js'

function linesOn(terminal: { coloured: boolean } | null): string[] {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }, terminal)
  log.warn('port taken', { listener: 'api', port: 4000 })
  return lines
}

it('is readable on a terminal, with or without colours, and JSON elsewhere', () => {
  const [plain] = linesOn({ coloured: false })
  expect(plain).toMatch(/^\d\d:\d\d:\d\d warn {2}port taken listener=api port=4000\n$/)
  const [coloured] = linesOn({ coloured: true })
  expect(coloured).toContain('\u001b[33mwarn \u001b[39m port taken')
  expect(JSON.parse(linesOn(null)[0] ?? '')).toMatchObject({ level: 40, msg: 'port taken', port: 4000 })
})
