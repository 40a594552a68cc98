import { internal } from './requests.mjs'

const widgetTypes = ['WIDGET_KYC_INITIATION', 'WIDGET_DEPOSIT_COMPLETE', 'WIDGET_WITHDRAW_COMPLETE']
const badEventData = [{ amount: 'a lot' }, { amount: null }, {}, { userId: 'somebody' }, { unknownField: 1 }]

/** Events and transactions of the app, good, bad and repeated. */
export function eventCommands({ random, appId, users, transactions, sourced, moves, dataOf, fresh }) {
  /** An event with a known `sourceEventId`, as it was or with another type. */
  const eventAgain = (event) => {
    if (random.chance(0.5)) return internal('POST', '/events', event)
    const otherType = event.eventType === 'WIDGET_KYC_INITIATION' ? 'WIDGET_DEPOSIT_COMPLETE' : 'WIDGET_KYC_INITIATION'
    const data = otherType === 'WIDGET_KYC_INITIATION' ? {} : { amount: 1 }
    return { ...internal('POST', '/events', { ...event, eventType: otherType, data }), hasOtherContent: true }
  }

  return {
    event() {
      const type = random.pick(widgetTypes)
      if (random.chance(0.2) && sourced.length > 0) return eventAgain(random.pick(sourced))
      const user = random.pick(users)
      const data = type === 'WIDGET_KYC_INITIATION' ? {} : { amount: (1 + random.whole(100_000)) / 100 }
      const event = { appId, userId: user.userId, eventType: type, data }
      if (random.chance(0.7)) return internal('POST', '/events', event)
      const withSource = { ...event, sourceEventId: fresh('source') }
      // An event that was withheld is judged anew when it is repeated: see the list of intended differences.
      if (user.hasAll && !user.retired) sourced.push(withSource)
      return internal('POST', '/events', withSource)
    },
    badEvent: () =>
      internal(
        'POST',
        '/events',
        random.pick([
          { appId, userId: users[0].userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: random.pick(badEventData) },
          { appId, userId: users[0].userId, eventType: 'NO_SUCH_TYPE', data: {} },
          { appId, userId: random.uuid(), eventType: 'WIDGET_KYC_INITIATION', data: {} },
          { appId: random.uuid(), userId: users[0].userId, eventType: 'WIDGET_KYC_INITIATION', data: {} },
          { appId, userId: 'nobody', eventType: 'WIDGET_KYC_INITIATION' },
          ...['', 7, 'a'.repeat(300)].map((sourceEventId) => ({
            appId,
            userId: users[0].userId,
            eventType: 'WIDGET_KYC_INITIATION',
            data: {},
            sourceEventId,
          })),
        ]),
      ),
    transaction() {
      if (moves.length > 0 && random.chance(0.15)) return random.pick(moves)
      const user = random.pick(users)
      const known = random.chance(0.6) && transactions.length > 0 ? random.pick(transactions) : null
      if (known !== null && random.chance(0.7)) {
        const status = random.pick(['PENDING', 'SETTLED', 'SETTLED', 'DECLINED', undefined])
        return internal('PATCH', `/transactions/${known.transactionId}`, {
          ...(status === undefined ? {} : { status }),
          data: { note: `note ${random.whole(100)}`, updatedAt: '2026-03-02T15:05:00.000Z' },
        })
      }
      const transactionId = known?.transactionId ?? random.uuid()
      if (random.chance(0.3)) {
        const data = { ...dataOf('TRANSACTION_DECLINE'), transactionId }
        return internal('POST', '/transactions/decline', { appId, userId: user.userId, transactionId, data })
      }
      transactions.push({ transactionId })
      const data = { ...dataOf('TRANSACTION_CREATE'), transactionId }
      const creation = { appId, userId: user.userId, transactionId, data }
      if (!user.hasAll || user.retired || random.chance(0.5)) return internal('POST', '/transactions', creation)
      const move = internal('POST', '/transactions', { ...creation, sourceEventId: fresh('source') })
      moves.push(move)
      return move
    },
  }
}
