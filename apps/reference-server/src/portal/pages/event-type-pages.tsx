import type { Endpoint } from '@kyc-relay/webhooks/delivery'
import type { FC } from 'hono/jsx'
import type { CatalogueType } from '../../events/event-catalogue.js'
import type { Session } from '../sessions.js'
import { CopyBlock } from './components.js'
import { breakable, developerCrumbs, PortalFrame } from './portal-frame.js'
import { RecordTable } from './record-table.js'
import { VerificationPrograms } from './verification-programs.js'

/** Renders the list of event types, and how to verify any of them. */
export const EventTypesPage: FC<{
  readonly session: Session
  readonly offered: readonly CatalogueType[]
  readonly endpoints: readonly Endpoint[]
}> = ({ session, offered, endpoints }) => (
  <PortalFrame
    title="Event types"
    session={session}
    place="events"
    crumbs={[...developerCrumbs, { label: 'Event types' }]}
    lead="What the service sends to your URLs. An event is sent only if the user granted your application all scopes of its type."
  >
    <section aria-label="Event types">
      <RecordTable
        label="Table of event types"
        columns={[{ label: 'Type', heads: true }, { label: 'Sent when' }, { label: 'Scopes' }, { label: 'Your URLs' }]}
        rows={offered.map((type) => [
          <a href={`/portal/events/${type.name}`}>{breakable(type.name)}</a>,
          <Marked text={type.meaning} />,
          <Scopes type={type} />,
          String(endpoints.filter((endpoint) => takes(endpoint, type)).length),
        ])}
      />
    </section>
    <VerificationPrograms />
  </PortalFrame>
)

/** Renders one event type: scopes, fields, example and JSON Schema. */
export const EventTypePage: FC<{ readonly session: Session; readonly type: CatalogueType }> = ({ session, type }) => {
  const { name, meaning, schema, example } = type
  return (
    <PortalFrame
      title={name}
      session={session}
      place="events"
      crumbs={[...developerCrumbs, { label: 'Event types', href: '/portal/events' }, { label: name }]}
      lead={<Marked text={meaning} />}
    >
      <section aria-labelledby="scopes">
        <h2 id="scopes">Scopes</h2>
        <p>
          The user must have granted <Scopes type={type} />.
        </p>
      </section>
      <section aria-labelledby="fields">
        <h2 id="fields">Fields</h2>
        <RecordTable
          label={`Fields of ${name}`}
          columns={[{ label: 'Field', heads: true }, { label: 'Type' }, { label: 'Required' }]}
          rows={fieldsOf(schema).map(({ name: field, kind, required }) => [
            <code>{field}</code>,
            kind,
            required ? 'yes' : 'no',
          ])}
        />
      </section>
      <section aria-labelledby="example">
        <h2 id="example">Example</h2>
        <p class="hint">Invented people and ids. On the wire an event is one line.</p>
        <CopyBlock id="event-example" label={`Example of ${name}`} text={JSON.stringify(example, null, 2)} />
      </section>
      <section aria-labelledby="schema">
        <h2 id="schema">JSON Schema</h2>
        <p class="hint">Draft 2020-12. Later versions may add fields.</p>
        <details>
          <summary>Show</summary>
          <CopyBlock id="event-schema" label={`JSON Schema of ${name}`} text={JSON.stringify(schema, null, 2)} />
        </details>
      </section>
      <p>
        <a href="/portal/events">Verify the signature</a> in six languages. The <a href="/api/v1/docs">API reference</a>{' '}
        has the same for all types.
      </p>
    </PortalFrame>
  )
}

/** True if the endpoint gets events of this type. Optional types are no part of “all”. */
const takes = (endpoint: Endpoint, { name, optIn }: CatalogueType) => endpoint.eventTypes?.includes(name) ?? !optIn

const Scopes: FC<{ readonly type: CatalogueType }> = ({ type }) => (
  <>
    {type.scopes.map((scope, index) => (
      <>
        {index === 0 ? '' : ' and '}
        <code>{scope}</code>
      </>
    ))}
  </>
)

/** Renders a text with `code` marks. */
export const Marked: FC<{ readonly text: string }> = ({ text }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
)

interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: FieldSchema
  readonly anyOf?: readonly FieldSchema[]
}

function fieldsOf(schema: Record<string, unknown>) {
  const { properties, required } = schema as {
    properties: Record<string, FieldSchema>
    required: readonly string[]
  }
  return Object.entries(properties).map(([name, field]) => ({
    name,
    kind: kindOf(field),
    required: required.includes(name),
  }))
}

function kindOf(field: FieldSchema): string {
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(kindOf))].join(' or ')
  if (field.items !== undefined) return `list of ${kindOf(field.items)}`
  const values = field.enum ?? (field.const === undefined ? undefined : [field.const])
  if (values !== undefined) return values.map(String).join(' · ')
  return [[field.type ?? []].flat().join(' or '), field.format].filter(Boolean).join(', ')
}
