import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** A seeded source of choices: the same seed and name give the same choices on every machine. */
export function createRandom(seed, name) {
  let state = seed
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193)
  const generator = xoroshiro128plus(state)
  return choicesOf((below) => uniformInt(generator, 0, below - 1))
}

/** Choices of each kind from one function, which gives a whole number below another. */
export function choicesOf(whole) {
  return {
    whole,
    chance: (share) => whole(1_000) < share * 1_000,
    pick: (list) => list[whole(list.length)],
    /** One name of `{ name: weight }`, each as likely as its weight. */
    weighted(weights) {
      const entries = Object.entries(weights)
      let left = whole(entries.reduce((sum, [, weight]) => sum + weight, 0))
      return entries.find(([, weight]) => (left -= weight) < 0)[0]
    },
    uuid() {
      const hex = Array.from({ length: 32 }, () => whole(16).toString(16))
      hex[12] = '4'
      hex[16] = '8'
      const text = hex.join('')
      return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
    },
  }
}
