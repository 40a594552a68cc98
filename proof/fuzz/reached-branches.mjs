/** How often: once, a few times, and so on in powers of two up to 128 times. */
const frequency = (count) => Math.min(7, Math.floor(Math.log2(count)))

/** Branches and functions that the instrumented code has run, from the counters that Istanbul keeps. */
export class ReachedBranches {
  #files = new Set()
  /** A counter of each branch and function, and the frequencies that it had, as bits. */
  #places = []

  /** Sets the counters back. Returns whether one of them told something new: a branch, or a branch that ran more often. */
  collect() {
    this.#addLoaded()
    let isNew = false
    for (const place of this.#places) {
      const { counts, key } = place
      if (counts[key] === 0) continue
      const seen = place.seen | (1 << frequency(counts[key]))
      counts[key] = 0
      if (seen !== place.seen) isNew = true
      place.seen = seen
    }
    return isNew
  }

  /** A module may be loaded late. */
  #addLoaded() {
    for (const [file, { f, b }] of Object.entries(globalThis.__coverage__ ?? {})) {
      if (this.#files.has(file)) continue
      this.#files.add(file)
      for (const counts of [f, ...Object.values(b)])
        for (const key of Object.keys(counts)) this.#places.push({ counts, key, seen: 0 })
    }
  }

  /** Branches and functions that ran at least once. */
  get count() {
    return this.#places.filter(({ seen }) => seen !== 0).length
  }
}
