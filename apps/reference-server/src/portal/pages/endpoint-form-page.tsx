import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { CatalogueType } from '../../events/event-catalogue.js'
import type { Session } from '../sessions.js'
import { describedBy, FieldProblem } from './components.js'
import { Marked } from './event-type-pages.js'
import { CsrfField, developerCrumbs, PortalFrame } from './portal-frame.js'

/** Values of the form for a URL. */
export interface EndpointForm {
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly string[]
  readonly standardWebhooks: boolean
  /** Static headers, one `Name: value` on a line. */
  readonly headers: string
  /** Removes the headers that the URL has. */
  readonly removeHeaders: boolean
}

/** What is wrong with the form, and with which field; with none if it is the whole. */
export interface EndpointFormProblem {
  readonly field: 'url' | 'description' | 'eventTypes' | 'headers' | null
  readonly text: string
}

const textAt = (problem: EndpointFormProblem | null, field: EndpointFormProblem['field']) =>
  problem?.field === field ? problem.text : null

const HeadersField: FC<{
  readonly endpoint: Endpoint | null
  readonly text: string
  readonly removes: boolean
  readonly problem: string | null
}> = ({ endpoint, text, removes, problem }) => {
  const names = endpoint?.headers?.names ?? []
  return (
    <fieldset>
      <legend>Static headers</legend>
      <div class="field">
        <label for="headers" class="visually-hidden">
          Headers that every request carries
        </label>
        <textarea
          id="headers"
          name="headers"
          rows={3}
          class="mono"
          placeholder="X-Tenant: blue"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          {...describedBy('headers', problem, 'headers-hint')}
        >
          {text}
        </textarea>
        <FieldProblem field="headers" problem={problem} />
        <span class="hint" id="headers-hint">
          Optional: up to five that every request carries, one on a line. Values are kept sealed and never shown again.
          {names.length === 0
            ? null
            : ` Now: ${names.join(', ')}. Leave this empty to keep them; another host of the URL drops them.`}
        </span>
      </div>
      {names.length === 0 ? null : (
        <div class="choices">
          <label>
            <input type="checkbox" name="removeHeaders" checked={removes ? true : undefined} />
            <span>Remove the headers</span>
          </label>
        </div>
      )}
    </fieldset>
  )
}

/** Renders the form for a new URL, or for changing one. */
export const EndpointFormPage: FC<{
  readonly session: Session
  /** The URL to change; null for a new one. */
  readonly endpoint: Endpoint | null
  readonly form: EndpointForm
  readonly problem: EndpointFormProblem | null
  /** Types that can be selected. */
  readonly offered: readonly CatalogueType[]
}> = ({ session, endpoint, form, problem, offered }) => (
  <PortalFrame
    title={endpoint === null ? 'Add new URL' : 'Change this URL'}
    session={session}
    place={endpoint === null ? 'new' : 'webhooks'}
    crumbs={[
      ...developerCrumbs,
      { label: 'Webhooks', href: '/portal/webhooks' },
      { label: endpoint === null ? 'Add new URL' : 'Change' },
    ]}
    notice={problem?.field === null ? { tone: 'bad', text: problem.text } : null}
  >
    {endpoint === null ? null : (
      <p>
        What waits is sent to the changed URL, with the same <code>X-Event-ID</code>. Deliveries of types that you no
        longer select are cancelled.
      </p>
    )}
    <form method="post" action={`/portal/webhooks/${endpoint === null ? 'new' : `${endpoint.endpointId}/change`}`}>
      <CsrfField session={session} />
      {/* Names the URL to be, so that a form that is sent twice adds one. */}
      {endpoint === null ? <input type="hidden" name="endpointId" value={randomUUID()} /> : null}
      {session.holder.kind === 'app' ? <input type="hidden" name="appId" value={session.holder.appId} /> : null}
      <div class="field">
        <label for="url">HTTPS URL</label>
        {/* Not type=url: the server explains an invalid URL better than the browser. */}
        <input
          id="url"
          name="url"
          type="text"
          inputmode="url"
          class="mono"
          required
          value={form.url}
          placeholder="https://partner.com/webhooks"
          autocomplete="url"
          autocapitalize="off"
          spellcheck={false}
          {...describedBy('url', textAt(problem, 'url'), 'url-hint')}
        />
        <FieldProblem field="url" problem={textAt(problem, 'url')} />
        <span class="hint" id="url-hint">
          Reachable from the public internet, with a valid certificate, accepting POST. Redirects are not followed.
        </span>
      </div>
      <div class="field">
        <label for="description">Description</label>
        <input
          id="description"
          name="description"
          type="text"
          maxlength={200}
          value={form.description}
          {...describedBy('description', textAt(problem, 'description'), 'description-hint')}
        />
        <FieldProblem field="description" problem={textAt(problem, 'description')} />
        <span class="hint" id="description-hint">
          Optional: a name for your own use.
        </span>
      </div>
      <fieldset
        aria-describedby={describedBy('eventTypes', textAt(problem, 'eventTypes'), 'types-hint')['aria-describedby']}
      >
        <legend>Event types</legend>
        <FieldProblem field="eventTypes" problem={textAt(problem, 'eventTypes')} />
        <span class="hint" id="types-hint">
          Select none to get {allOf(offered)}, those of later versions included.
          {typesWithoutBox(endpoint, offered)}
        </span>
        <div class="choices">
          {offered.map(({ name, meaning, scopes }) => (
            <label>
              <input
                type="checkbox"
                name="eventTypes"
                value={name}
                checked={form.eventTypes.includes(name) ? true : undefined}
              />
              <span>
                <code>{name}</code>
              </span>
              <span class="hint">
                <Marked text={meaning} /> Needs {scopes.length === 1 ? 'the scope ' : 'the scopes '}
                {scopes.join(' and ')}.
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>Signature</legend>
        <div class="choices">
          <label>
            <input type="checkbox" name="standardWebhooks" checked={form.standardWebhooks ? true : undefined} />
            <span>Add the three Standard Webhooks headers</span>
            <span class="hint">
              They sign id and time together with the body, so that a receiver can refuse a replay.{' '}
              <code>X-HMAC-Signature</code> is sent either way.
            </span>
          </label>
        </div>
      </fieldset>
      <HeadersField
        endpoint={endpoint}
        text={form.headers}
        removes={form.removeHeaders}
        problem={textAt(problem, 'headers')}
      />
      <div class="actions">
        <button type="submit" class="primary">
          {endpoint === null ? 'Add URL' : 'Save changes'}
        </button>
        <a href="/portal/webhooks">Cancel</a>
      </div>
    </form>
  </PortalFrame>
)

/** Names what an endpoint gets that selects no type. */
function allOf(offered: readonly CatalogueType[]): string {
  const optIn = offered.flatMap((type) => (type.optIn ? [type.name] : []))
  return optIn.length === 0 ? 'all of them' : `all but ${optIn.join(', ')}`
}

/** Names the types of a URL that the operator has turned off since; empty if there are none. */
function typesWithoutBox(endpoint: Endpoint | null, offered: readonly CatalogueType[]): string {
  const names = (endpoint?.eventTypes ?? []).filter((type) => !offered.some(({ name }) => name === type))
  if (names.length === 0) return ''
  return ` No longer offered: ${names.join(', ')}. The URL keeps its types unless you change a box.`
}
