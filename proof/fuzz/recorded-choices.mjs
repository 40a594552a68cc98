import { choicesOf } from '../random.mjs'

/** Choices that repeat recorded ones as far as these go, then others. `made` has all of them, to be repeated again. */
export function repeatChoices(recorded, others) {
  const made = []
  const random = choicesOf((below) => {
    const value = made.length < recorded.length ? Math.floor(recorded[made.length] % below) : others.whole(below)
    made.push(value)
    return value
  })
  return { random, made }
}

const largest = 2 ** 16

/** A copy of recorded choices with one to four changes. `others` are choices of another input. */
export function changeChoices(random, recorded, others) {
  const choices = [...recorded]
  for (let changes = 1 + random.whole(4); changes > 0; changes -= 1) {
    const at = random.whole(choices.length + 1)
    const change = random.weighted({ replace: 6, insert: 2, remove: 2, end: 1, join: 1 })
    if (change === 'replace') choices.splice(at, 1, random.whole(largest))
    else if (change === 'insert') choices.splice(at, 0, random.whole(largest))
    else if (change === 'remove') choices.splice(at, 1 + random.whole(4))
    else if (change === 'end') choices.splice(at)
    else choices.splice(at, choices.length, ...others.slice(at))
  }
  return choices
}
