import { describe, expect, it } from 'vitest'
import { createDataKeyCache } from '../../src/node/data-key-cache.js'

const owner = { appId: 'app', userId: 'user' }
const key = (byte: number): Buffer => Buffer.alloc(32, byte)

describe('data keys in memory', () => {
  it('are at most so many, those that were added last', () => {
    const cache = createDataKeyCache(2)
    cache.set('a', owner, key(1))
    cache.set('b', owner, key(2))
    expect(cache.get('a', owner)).toEqual(key(1))
    cache.set('c', owner, key(3))
    expect(cache.size).toBe(2)
    expect([cache.get('a', owner), cache.get('b', owner), cache.get('c', owner)]).toEqual([undefined, key(2), key(3)])
  })

  it('are none with a limit of 0', () => {
    const cache = createDataKeyCache(0)
    cache.set('a', owner, key(1))
    expect([cache.size, cache.get('a', owner)]).toEqual([0, undefined])
  })

  it('are not found with another context', () => {
    const cache = createDataKeyCache(1)
    cache.set('a', owner, key(1))
    const others = [{ ...owner, userId: 'somebody else' }, { appId: 'app' }, { ...owner, more: '' }]
    expect(others.map((other) => cache.get('a', other))).toEqual([undefined, undefined, undefined])
    expect(cache.get('a', { userId: 'user', appId: 'app' })).toEqual(key(1))
  })

  it('are overwritten when they are evicted, and only those', () => {
    const cache = createDataKeyCache(10)
    const [evicted, kept] = [key(1), key(2)]
    cache.set('one', owner, evicted)
    cache.set('two', owner, kept)
    cache.evict('one')
    cache.evict('one')
    expect([cache.get('one', owner), cache.get('two', owner)]).toEqual([undefined, key(2)])
    expect(evicted).toEqual(key(0))
  })
})
