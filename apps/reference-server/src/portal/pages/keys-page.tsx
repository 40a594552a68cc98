import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { KeyRotationDryRun } from '../../webhooks-api/key-rotation-dry-run.js'
import type { KeyVersion } from '../../identity/api-keys.js'
import type { Session } from '../sessions.js'
import { ApiKeyField, CopyBlock, Instant, State } from './components.js'
import { CsrfField, developerCrumbs, PortalFrame, type Notice } from './portal-frame.js'
import { RecordTable } from './record-table.js'

type FinishedDryRun = Exclude<KeyRotationDryRun, string>

/** Renders the API key page: versions, and the three steps of a rotation. */
export const KeysPage: FC<{
  readonly session: Session
  readonly versions: readonly KeyVersion[]
  readonly endpoints: readonly Endpoint[]
  readonly newKey?: string | null
  readonly dryRun?: FinishedDryRun | null
  readonly notice?: Notice | null
  /** What is wrong with the key that was entered. */
  readonly keyProblem?: string | null
}> = ({ session, versions, endpoints, newKey = null, dryRun = null, notice = null, keyProblem = null }) => {
  const waiting = versions.find((version) => version.state === 'WAITING')
  return (
    <PortalFrame
      title="API key"
      session={session}
      place="keys"
      crumbs={[...developerCrumbs, { label: 'API key' }]}
      lead="The API key gives access to the API and signs your webhooks. It is shown only once, when it is created."
      notice={notice}
    >
      {newKey === null ? null : (
        <section class="notice warn" aria-labelledby="new-key">
          <h2 id="new-key">Your new API key</h2>
          <p>
            Copy it now. It is not shown again. Configure your receivers to accept signatures of both keys before you
            continue.
          </p>
          <CopyBlock id="api-key" label="New API key" text={newKey} />
        </section>
      )}
      <section aria-labelledby="versions">
        <h2 id="versions">Accepted versions</h2>
        <RecordTable
          label="Table of versions"
          columns={[
            { label: 'Version', heads: true },
            { label: 'State' },
            { label: 'Made' },
            { label: 'Changes' },
            { label: 'Actions', hidden: true },
          ]}
          rows={versions.map((version) => [
            version.version,
            <KeyState state={version.state} />,
            <Instant at={version.createdAt} />,
            version.state === 'WAITING' ? (
              <>
                signs by itself from <Instant at={version.signsFrom} />
              </>
            ) : version.retiredAt === null ? (
              'none'
            ) : (
              <>
                may read until <Instant at={version.retiredAt} />
              </>
            ),
            <a href={`/portal/keys/${version.version}/revoke`}>Revoke key {version.version}</a>,
          ])}
        />
      </section>
      {waiting === undefined ? (
        <section aria-labelledby="rotate">
          <h2 id="rotate">Rotate the key</h2>
          <p>
            A new key is accepted at once and signs nothing yet. You then do a dry run with it, and activate it when
            your receivers are ready. Without that it takes over after 24 hours.
          </p>
          <form method="post" action="/portal/keys/rotate">
            <CsrfField session={session} />
            <PresentKeyField problem={keyProblem} />
            <button type="submit">Make a new key</button>
          </form>
        </section>
      ) : (
        <>
          <section aria-labelledby="dry-run">
            <h2 id="dry-run">Dry run with key {waiting.version}</h2>
            <p>
              Two test events go to one URL, one signed with each key. A receiver that accepts both is ready: activation
              loses nothing, whatever is in flight.
            </p>
            {dryRun === null ? null : <DryRunResult dryRun={dryRun} />}
            {endpoints.length === 0 ? (
              <p class="hint">There is no URL for a dry run. You can activate the key.</p>
            ) : (
              <form method="post" action="/portal/keys/dry-run" class="filters">
                <CsrfField session={session} />
                <div class="field">
                  <label for="endpointId">URL</label>
                  <select id="endpointId" name="endpointId">
                    {endpoints.map((endpoint) => (
                      <option
                        value={endpoint.endpointId}
                        selected={dryRun?.endpoint.endpointId === endpoint.endpointId ? true : undefined}
                      >
                        {endpoint.url}
                      </option>
                    ))}
                  </select>
                </div>
                <button type="submit">Start the dry run</button>
              </form>
            )}
          </section>
          <section aria-labelledby="activate">
            <h2 id="activate">Activate key {waiting.version}</h2>
            <p>
              From then on it signs everything, retries of earlier events included. The old key may read for 24 more
              hours, and change nothing. Other sign-ins to this portal end.
            </p>
            <form method="post" action="/portal/keys/activate">
              <CsrfField session={session} />
              <input type="hidden" name="version" value={waiting.version} />
              <div class="choices">
                <label>
                  <input name="confirm" type="checkbox" value="yes" required />
                  <span>Every receiver has key {waiting.version}</span>
                </label>
              </div>
              <button type="submit" class={dryRun?.ready ? 'primary' : undefined}>
                Activate key {waiting.version}
              </button>
            </form>
          </section>
          <section aria-labelledby="discard">
            <h2 id="discard">Discard key {waiting.version}</h2>
            <p>If you lost it, or do not know it, discard it before it signs by itself.</p>
            <form method="post" action="/portal/keys/discard">
              <CsrfField session={session} />
              <input type="hidden" name="version" value={waiting.version} />
              <button type="submit">Discard key {waiting.version}</button>
            </form>
            <form method="post" action="/portal/keys/rotate">
              <CsrfField session={session} />
              <input type="hidden" name="version" value={waiting.version} />
              <PresentKeyField problem={keyProblem} />
              <button type="submit">Discard key {waiting.version} and make another one</button>
            </form>
          </section>
        </>
      )}
    </PortalFrame>
  )
}

const KeyState: FC<{ readonly state: KeyVersion['state'] }> = ({ state }) => {
  if (state === 'SIGNING') return <State tone="good">Signs</State>
  if (state === 'WAITING') return <State tone="warn">Waits for activation</State>
  return <State tone="quiet">Retiring</State>
}

const DryRunResult: FC<{ readonly dryRun: FinishedDryRun }> = ({ dryRun }) => (
  <div class={`notice ${dryRun.ready ? 'good' : 'bad'}`} role="status">
    <h3>{dryRun.ready ? 'Ready: both signatures were accepted' : 'Not ready'}</h3>
    <p class="url">{dryRun.endpoint.url}</p>
    <dl class="facts wide">
      {dryRun.results.map((one) => (
        <div>
          <dt>
            Key {one.version}, {one.key === 'SIGNING' ? 'which signs now' : 'the new one'}
          </dt>
          <dd>
            <State tone={one.accepted ? 'good' : 'bad'}>
              {one.accepted ? 'Accepted' : 'Failed'}
              {one.result.status === null ? '' : `, HTTP ${one.result.status}`}
            </State>
            {one.accepted ? null : (
              <>
                <p>{one.explanation.cause}</p>
                <p>{one.explanation.nextStep}</p>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </div>
)

const PresentKeyField: FC<{ readonly problem: string | null }> = ({ problem }) => (
  <ApiKeyField
    label="Your present API key"
    hint="Enter the key again, because the page will show the new key to the signed-in user."
    problem={problem}
  />
)
