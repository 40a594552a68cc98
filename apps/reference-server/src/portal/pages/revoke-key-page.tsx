import type { FC } from 'hono/jsx'
import type { KeyVersion } from '../../identity/api-keys.js'
import type { Session } from '../sessions.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

/** Renders the confirmation before a version of the API key is revoked, with the consequences. */
export const RevokeKeyPage: FC<{
  readonly session: Session
  readonly versions: readonly KeyVersion[]
  readonly version: KeyVersion
}> = ({ session, versions, version: { version, state } }) => {
  const waiting = versions.find((one) => one.state === 'WAITING')
  return (
    <PortalFrame
      title={`Revoke key ${version}?`}
      session={session}
      place="keys"
      crumbs={[...developerCrumbs, { label: 'API key', href: '/portal/keys' }, { label: 'Revoke' }]}
    >
      <section>
        <p>The API refuses key {version} from now on. Sign-ins to this portal with it end.</p>
        {state !== 'SIGNING' ? null : waiting === undefined ? (
          <p>
            It signs your webhooks, and no other key waits: the application is left without a key. Deliveries are held
            back for up to 24 hours, until the operator of the service issues a new key. To avoid that, make a new key
            first.
          </p>
        ) : (
          <p>It signs your webhooks. Key {waiting.version} signs from now on in its place.</p>
        )}
        <form method="post" action={`/portal/keys/${version}/revoke`}>
          <CsrfField session={session} />
          <div class="actions">
            <button type="submit" class="danger">
              Revoke key {version}
            </button>
            <a href="/portal/keys">Keep it</a>
          </div>
        </form>
      </section>
    </PortalFrame>
  )
}
