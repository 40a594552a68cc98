import { describe, expect, test } from 'vitest'
import { campaigns } from './campaigns.mjs'
import { runCampaign, runControl } from './run-campaign.mjs'

// A smoke run of each campaign: small, without any expectation of time, with the controls that take less than a second or
// start one server. `npm run prove` runs them as large as asked, with all their controls.
// They start servers and databases, which takes minutes on a busy machine.
const timeout = 600_000
const options = { seed: 1, isSmoke: true, log: () => undefined }
const loaded = await Promise.all(
  Object.entries(campaigns).map(async ([name, load]) => ({ name, campaign: await load() })),
)

const isPossible = ({ campaign }) => campaign.isPossible?.() ?? true
for (const { name } of loaded.filter((one) => !isPossible(one)))
  process.stderr.write(`THE CAMPAIGN ${name} IS NOT TESTED HERE: this machine lacks what it needs.\n`)

describe.each(loaded.filter(isPossible))('$name', { timeout }, ({ campaign }) => {
  test('finds nothing', async () => {
    const { violations, sizes } = await runCampaign(campaign, { size: campaign.smoke.size, ...options })
    expect(violations).toEqual([])
    expect(sizes[campaign.unit]).toBeGreaterThan(0)
  })

  test.each(campaign.smoke.controls ?? [])('catches %s', async (name) => {
    const control = campaign.controls.find((one) => one.name === name)
    const { caught, others } = await runControl(campaign, control, { ...options, size: campaign.smoke.controlSize })
    expect(caught, others.join('\n')).toMatch(control.breaks)
  })
})
