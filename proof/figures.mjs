/**
 * The figures of all runs of a campaign. Sizes add up; of what is the longest in a run, the longest stays. A campaign that
 * does the same in each run has the sizes of the last one.
 */
export function figuresOf(campaign, runs) {
  const sizes = {}
  for (const run of campaign.isSameEachRun ? runs.slice(-1) : runs) {
    for (const [name, value] of Object.entries(run.sizes)) {
      sizes[name] = name.includes('longest') ? Math.max(sizes[name] ?? 0, value) : (sizes[name] ?? 0) + value
    }
  }
  return {
    sizes,
    violations: runs.reduce((sum, run) => sum + run.violations, 0),
    runs: runs.reduce((sum, run) => sum + (run.runs ?? 1), 0),
  }
}
