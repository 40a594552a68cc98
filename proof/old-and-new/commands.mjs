import { readFileSync } from 'node:fs'
import path from 'node:path'
import { eventCommands } from './event-commands.mjs'
import { createLaneState } from './lane-state.mjs'
import { peopleCommands } from './people-commands.mjs'
import { internal } from './requests.mjs'
import { submissionCommands } from './submission-commands.mjs'
import { webhookCommands } from './webhook-commands.mjs'

// The commands of one lane: an app with users of its own, so that lanes may run beside each other and each stays in order.

/** How often each kind of command comes. */
const weights = {
  submission: 30,
  replay: 8,
  dryRun: 3,
  clearOnStandard: 2,
  reading: 7,
  newUser: 6,
  narrowedGrant: 1,
  revokedGrant: 1,
  erasure: 1,
  registration: 3,
  badRegistration: 2,
  removal: 1,
  endpoints: 1,
  testEvent: 1,
  event: 14,
  badEvent: 2,
  transaction: 9,
  deliveries: 2,
  resend: 2,
  keys: 1,
  portal: 3,
  badRequest: 5,
}

/** Examples of the event types that a version knows. */
export function eventExamplesOf(checkout) {
  const file = path.join(checkout, 'packages/webhooks/schema/webhook-event-examples.json')
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * An endless source of commands for the lane of this name. The first ones make its app. `rows` of the case table are
 * submitted. `examples` are of the event types that both versions know.
 */
export function createLane({ name, random, rows, examples }) {
  const state = createLaneState({ name, random, rows, examples })
  const submissions = submissionCommands(state)
  const makers = {
    ...submissions,
    ...peopleCommands(state, submissions.reading),
    ...webhookCommands(state),
    ...eventCommands(state),
  }
  const app = { appId: state.appId, name: `App of ${name}` }
  const begin = [
    { kind: 'newUser', ...internal('POST', '/apps', app), keep: { apiKey: 'apiKey' } },
    ...makers.newUser().map((command) => ({ kind: 'newUser', ...command })),
    { kind: 'registration', ...makers.registration() },
  ]
  return {
    name,
    /** The next command, with those that belong to it. */
    next() {
      if (begin.length > 0) return begin.splice(0)
      const kind = random.weighted(weights)
      return [makers[kind]()].flat().map((command) => ({ kind, ...command }))
    },
  }
}
