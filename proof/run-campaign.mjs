import { budgetOf } from './budget.mjs'

/** Seeds that a control may take: not every history meets every bug. */
const seedsOfControl = 3

/** Runs a campaign once, for a time or a count of its units. */
export async function runCampaign(campaign, { size, seed, isSmoke, log }) {
  const startedAt = performance.now()
  const { sizes, violations } = await campaign.run({ budget: budgetOf(size), seed, control: null, isSmoke, log })
  return { sizes, violations, seconds: Math.round((performance.now() - startedAt) / 1_000) }
}

/**
 * Runs a campaign with a known bug, by default as long as the campaign says. Returns the violation that shows the bug, or
 * null and what was found instead.
 */
export async function runControl(campaign, { name, breaks }, { seed, log, size }) {
  const others = []
  for (let turn = 0; turn < seedsOfControl; turn += 1) {
    const budget = budgetOf(size ?? { seconds: 120, ...campaign.controlSize })
    const { violations } = await campaign.run({ budget, seed: seed + turn, control: name, log })
    const caught = violations.find((violation) => breaks.test(violation))
    if (caught !== undefined) return { caught, others }
    others.push(...violations.slice(0, 3))
  }
  return { caught: null, others }
}
