import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { encodeFields, type AuditField } from '../../src/audit/audit-fields.js'

const sha256Hex = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const encode = (field: AuditField) => encodeFields(field, sha256Hex)

test('is one text, whose parts say their type and length', () => {
  expect(encode(['ab', null, 7, ['é', -1]])).toBe('l4:s2:abni7;l2:s1:éi-1;')
  expect(encode(new Uint8Array())).toBe(`b${sha256Hex(new Uint8Array())}`)
})

const { field } = fc.letrec<{ field: AuditField }>((tie) => ({
  field: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: fc.constantFrom('s', '1', ':', 'i', ';', 'n', 'l', 'é') }),
    fc.integer(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 3 }),
    fc.array(tie('field'), { maxLength: 3 }),
  ),
}))

test('is the same for no two values', () => {
  const comparable = (value: AuditField): unknown =>
    ArrayBuffer.isView(value) ? { bytes: [...value] } : Array.isArray(value) ? value.map(comparable) : value
  fc.assert(
    fc.property(field, field, (one, other) => {
      const same = JSON.stringify(comparable(one)) === JSON.stringify(comparable(other))
      expect(encode(one) === encode(other)).toBe(same)
    }),
    propertyRuns(20_260_102, 500),
  )
})
