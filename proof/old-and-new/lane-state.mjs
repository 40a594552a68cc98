import { caseArguments, plainSubmission } from './submissions.mjs'

const filledIn = ['userId', 'accountId', 'externalReferenceId', 'appId', 'connectedAppId', 'connectedAppName']

/** What the commands of one lane made so far, for later commands. `rows` and `examples` are those of `createLane`. */
export function createLaneState({ name, random, rows, examples }) {
  const users = []
  let made = 0
  return {
    name,
    random,
    appId: random.uuid(),
    users,
    endpoints: [],
    submissions: [],
    transactions: [],
    /** Events with a `sourceEventId`, to repeat. */
    sourced: [],
    /** Moves of transactions with a `sourceEventId`, to repeat. */
    moves: [],
    eventTypes: Object.keys(examples),
    dataOf: (type) =>
      Object.fromEntries(Object.entries(examples[type]).filter(([name]) => ![...filledIn, 'eventType'].includes(name))),
    /** A plain submission, or a row of the case table, good or bad. */
    submissionOf: (id, isPlain = random.chance(0.5)) =>
      isPlain ? plainSubmission(random, id) : caseArguments(random.pick(rows), id),
    activeUser: () => random.pick(users.filter(({ retired }) => !retired)),
    fresh: (what) => `${what}-${name}-${(made += 1)}`,
  }
}
