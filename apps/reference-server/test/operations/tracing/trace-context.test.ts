import { describe, expect, it } from 'vitest'
import { parseTraceparent, traceparentOf } from '../../../src/operations/tracing/span.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const good = `00-${traceId}-${spanId}-01`

describe('a traceparent', () => {
  it.each([
    ['sampled', good, 1],
    ['not sampled', `00-${traceId}-${spanId}-00`, 0],
    ['with flags that nobody knows yet', `00-${traceId}-${spanId}-ff`, 1],
    ['of a later version', `cc-${traceId}-${spanId}-01`, 1],
    ['of a later version with more fields', `cc-${traceId}-${spanId}-01-what-the-future-brings`, 1],
  ])('%s is read', (_what, text, traceFlags) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, traceFlags, isRemote: true })
  })

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['sent twice, as Node joins it', `${good}, ${good}`],
    ['sent twice, as Node lists it', [good, good]],
    ['in upper case', good.toUpperCase()],
    ['of the version that is forbidden', `ff-${traceId}-${spanId}-01`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['with a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['with a short trace id', `00-${traceId.slice(1)}-${spanId}-01`],
    ['with letters that are no digits', `00-${traceId.replace('4', 'g')}-${spanId}-01`],
    ['of version 00 with more fields', `${good}-more`],
    ['with spaces around', ` ${good} `],
    ['with a line break after', `${good}\n`],
    ['that goes on and on', `cc-${traceId}-${spanId}-01-${'x'.repeat(100)}`],
  ])('%s is none', (_what, text) => {
    expect(parseTraceparent(text)).toBeNull()
  })

  it('is written as it was read, in version 00', () => {
    expect(traceparentOf({ traceId, spanId, traceFlags: 1 })).toBe(good)
    expect(traceparentOf({ traceId, spanId, traceFlags: 0 })).toBe(`00-${traceId}-${spanId}-00`)
  })

  it('of a span that no SDK knows is not written', () => {
    expect(traceparentOf({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeNull()
  })
})
