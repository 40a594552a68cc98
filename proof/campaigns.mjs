/** Every campaign by its name, loaded when it is asked for. */
export const campaigns = {
  crash: async () => (await import('./crash/campaign.mjs')).crash,
  'crash-postgres': async () => (await import('./crash/postgres-campaign.mjs')).crashPostgres,
  outage: async () => (await import('./outage/campaign.mjs')).outage,
  simulate: async () => (await import('./simulate/campaign.mjs')).simulate,
  exhaustive: async () => (await import('./exhaustive/campaign.mjs')).exhaustive,
  differential: async () => (await import('./differential/campaign.mjs')).differential,
  attack: async () => (await import('./attack/campaign.mjs')).attack,
  leak: async () => (await import('./leak/campaign.mjs')).leak,
  power: async () => (await import('./power/campaign.mjs')).power,
  faults: async () => (await import('./faults/campaign.mjs')).faultsOfMachine,
  mutation: async () => (await import('./mutation/campaign.mjs')).mutation,
  fuzz: async () => (await import('./fuzz/campaign.mjs')).fuzz,
  'fuzz-guided': async () => (await import('./fuzz/guided-campaign.mjs')).fuzzGuided,
}
