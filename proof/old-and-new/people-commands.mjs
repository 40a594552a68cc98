import { graphql, internal } from './requests.mjs'
import { submit } from './submissions.mjs'

const scopes = ['VERIFY_KYC', 'MAKE_PAYOUT_SEND', 'MAKE_PAYOUT_RECEIVE', 'LIST_PAYMENT', 'LIST_PURCHASES']

/** Users, their grants, and the erasure of their data. `reading` is done instead for the first user, who stays. */
export function peopleCommands({ random, appId, users, submissionOf, activeUser, fresh }, reading) {
  return {
    newUser() {
      const token = fresh('token')
      const userId = random.uuid()
      const some = scopes.filter(() => random.chance(0.5))
      const granted = random.chance(0.8) ? scopes : [...new Set(['VERIFY_KYC', ...some])]
      users.push({ token, userId, retired: false, hasAll: granted.length === scopes.length })
      const account = { accountId: random.uuid(), externalReferenceId: `customer-${userId.slice(0, 8)}` }
      return [
        internal('PUT', `/grants/${appId}/${userId}`, { ...account, scopes: granted }),
        { ...internal('POST', '/access-tokens', { appId, userId, scopes: granted }), keep: { [token]: 'accessToken' } },
      ]
    },
    narrowedGrant() {
      const user = activeUser()
      if (user === users[0]) return reading()
      user.retired = true
      const account = { accountId: random.uuid(), externalReferenceId: fresh('customer') }
      // What is on its way would be cancelled sooner on the one server than on the other.
      return [
        { settle: true },
        internal('PUT', `/grants/${appId}/${user.userId}`, { ...account, scopes: ['LIST_PAYMENT'] }),
        graphql('secure', user.token, submit, submissionOf(fresh('attempt'))),
      ]
    },
    revokedGrant() {
      const user = activeUser()
      if (user === users[0]) return reading()
      user.retired = true
      return [
        { settle: true },
        internal('DELETE', `/grants/${appId}/${user.userId}`),
        graphql('secure', user.token, submit, submissionOf(fresh('attempt'))),
      ]
    },
    erasure() {
      const user = activeUser()
      if (user === users[0]) return reading()
      user.retired = true
      return [{ settle: true }, internal('DELETE', `/users/${user.userId}/pii`, { purpose: 'request of the user' })]
    },
  }
}
