import type { Env } from '../env.js'
import type { DemoFile } from './demo-file.js'

const submission = {
  query:
    'mutation ($schemaVersion: String!, $provider: String!, $id: String!, $decision: String!, $person: JSON!, $verifications: JSON!) { postKycVerification(schemaVersion: $schemaVersion, externalVerificationProvider: $provider, externalVerificationId: $id, decision: $decision, person: $person, verifications: $verifications) { status verificationId message } }',
  variables: {
    schemaVersion: '1.0',
    provider: 'CUSTOM',
    id: 'demo-attempt-1',
    decision: 'PASSED',
    person: {
      firstName: 'Jane',
      lastName: 'Example',
      dateOfBirth: '1990-01-31',
      ssn: '078-05-1120',
      ssnLast4: '1120',
      address: {
        streetLine1: '1 Example Street',
        city: 'Springfield',
        subdivision: 'IL',
        postalCode: '62701',
        countryCode: 'US',
      },
    },
    verifications: { ssn: { verificationId: 'demo-ssn-1', status: 'PASSED', source: 'TIN_DATABASE' } },
  },
}

/** Creates the guide after `npm start`: addresses, and one working `curl` command for each main task. */
export function startGuide(demo: DemoFile, env: Pick<Env, 'dataDir' | 'allowLoopbackReceivers'>): string {
  const [app] = demo.apps
  const [user] = demo.users
  if (app === undefined || user === undefined) return ''
  const json = "-H 'content-type: application/json'"
  const bearer = (token: string) => `-H 'authorization: Bearer ${token}'`
  const url = env.allowLoopbackReceivers ? 'https://localhost:8443/webhooks' : 'https://partner.example.com/webhooks'
  return `
kyc-relay is running.

  standard API      ${demo.apiUrl}
  portal            ${demo.apiUrl}/portal (application "${app.name}" with its API key, in demo.json)
  API reference     ${demo.apiUrl}/api/v1/docs
  GraphiQL          ${demo.apiUrl}/graphiql (accessToken of a user as Authorization, in demo.json)
  internal API      ${demo.internalUrl}
  operators' portal ${demo.internalUrl}/portal (${demo.operatorToken === null ? 'a token of OPERATORS_FILE' : 'operatorToken in demo.json'})
  secure endpoint   ${demo.secureUrl}/api/v1/graphql
  data, keys, demo  ${env.dataDir} (tokens and keys of the demo: demo.json)

Submit a KYC result (the SSN is a well-known sample):

  curl --cacert '${demo.caFile}' ${demo.secureUrl}/api/v1/graphql ${json} ${bearer(user.accessToken)} \\
    -d '${JSON.stringify(submission)}'

Read the user's KYC status:

  curl '${demo.apiUrl}/api/v1/graphql' ${json} ${bearer(user.accessToken)} -d '{"query":"{ viewer { userId kycStatus } }"}'

${env.allowLoopbackReceivers ? receiverGuide(env.dataDir) : ''}Register a webhook endpoint:

  curl '${demo.apiUrl}/api/v1/webhooks' ${json} ${bearer(app.apiKey)} -d '{"url":"${url}"}'

Publish an event:

  curl '${demo.internalUrl}/internal/v1/events' ${json} ${bearer(demo.internalToken)} \\
    -d '{"appId":"${app.appId}","userId":"${user.userId}","eventType":"WIDGET_KYC_INITIATION","data":{}}'

See what was delivered:

  curl '${demo.apiUrl}/api/v1/webhooks/deliveries' ${bearer(app.apiKey)}

${
  env.allowLoopbackReceivers
    ? 'Receivers at https://localhost are allowed (ALLOW_LOOPBACK_RECEIVERS=1); demo.json names a certificate for yours.'
    : 'To receive webhooks on this machine, start with ALLOW_LOOPBACK_RECEIVERS=1 and register https://localhost:<port>/….'
}
The whole story with a receiver of its own: npm run demo

`
}

/** Creates the lines of a production start on a terminal: the addresses of this process. */
export function addresses(
  { host }: Pick<Env, 'host'>,
  ports: { readonly api: number; readonly secure: number },
): string {
  const name = host.includes(':') ? `[${host}]` : host
  const lines = [
    ...(ports.api === 0
      ? []
      : [`  standard API  http://${name}:${ports.api}`, `  portal        http://${name}:${ports.api}/portal`]),
    ...(ports.secure === 0 ? [] : [`  secure endpoint, port ${ports.secure}`]),
  ]
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n\n`
}

/** Shows how to start the command-line receiver at the address that is registered next. */
const receiverGuide = (dataDir: string) => `Receive webhooks, in a second terminal:

  npx kyc-webhooks listen --data-dir '${dataDir}'

`
