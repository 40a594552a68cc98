import type { AttemptState, DeliveryState } from '@kyc-relay/webhooks/internal'
import type { Child, FC } from 'hono/jsx'
import { dayText, instantText } from '../format.js'

export type Tone = 'good' | 'warn' | 'bad' | 'quiet'

/** Renders a state with a word, a shape and a colour. */
export const State: FC<{ readonly tone: Tone; readonly children?: Child }> = ({ tone, children }) => (
  <span class={`state ${tone}`}>
    <Shape tone={tone} />
    <span>{children}</span>
  </span>
)

/** Each tone has a different shape, so that states do not depend on colour. */
export const Shape: FC<{ readonly tone: Tone; readonly class?: string }> = ({ tone, class: className }) => (
  <svg class={className} viewBox="0 0 12 12" aria-hidden="true" focusable="false" fill="currentColor">
    {tone === 'good' ? <circle cx="6" cy="6" r="5" /> : null}
    {tone === 'warn' ? (
      <>
        <circle cx="6" cy="6" r="4.25" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path d="M6 1.75a4.25 4.25 0 0 1 0 8.5z" />
      </>
    ) : null}
    {tone === 'bad' ? (
      <path d="M2.2 2.2l7.6 7.6M9.8 2.2l-7.6 7.6" fill="none" stroke="currentColor" stroke-width="2.2" />
    ) : null}
    {tone === 'quiet' ? <path d="M2 6h8" fill="none" stroke="currentColor" stroke-width="2" /> : null}
  </svg>
)

const deliveryTones: Readonly<Record<DeliveryState, readonly [Tone, string]>> = {
  PENDING: ['warn', 'Pending'],
  DELIVERED: ['good', 'Delivered'],
  FAILED: ['bad', 'Failed'],
  CANCELLED: ['quiet', 'Cancelled'],
}

export const DeliveryStateMark: FC<{ readonly state: DeliveryState }> = ({ state }) => {
  const [tone, word] = deliveryTones[state]
  return <State tone={tone}>{word}</State>
}

/** Returns tone and word of an attempt. */
export const attemptTones: Readonly<Record<AttemptState, readonly [Tone, string]>> = {
  STARTED: ['warn', 'In flight'],
  SUCCEEDED: ['good', 'Accepted'],
  FAILED: ['bad', 'Failed'],
  INTERRUPTED: ['bad', 'Interrupted'],
  UNSENT: ['quiet', 'Not sent'],
}

/** Renders a time in UTC; a script adds the local time. */
export const Instant: FC<{ readonly at: Date; readonly relative?: boolean }> = ({ at, relative }) => (
  <time class="nowrap" datetime={at.toISOString()} data-relative={relative ? '' : undefined}>
    {instantText(at)}
  </time>
)

/** Renders a day in UTC. */
export const Day: FC<{ readonly at: Date }> = ({ at }) => (
  <time class="nowrap" datetime={at.toISOString()}>
    {dayText(at)}
  </time>
)

/** Renders a text block to copy, with a button if JavaScript is enabled. */
export const CopyBlock: FC<{ readonly id: string; readonly label: string; readonly text: string }> = ({
  id,
  label,
  text,
}) => (
  <div class="copy">
    <pre id={id} role="group" tabindex={0} aria-label={label}>
      <code>{text}</code>
    </pre>
    <button type="button" data-copy={id} hidden>
      Copy
    </button>
  </div>
)

/** Renders a URL that breaks after a slash, and elsewhere only if a part is too long. */
export const BreakableUrl: FC<{ readonly url: string }> = ({ url }) => (
  <>
    {url.split(/(?<=[^/]\/)(?=[^/])/).map((part, index) => (
      <>
        {index === 0 ? null : <wbr />}
        {part}
      </>
    ))}
  </>
)

/** Renders what is wrong with a field. The field needs {@link describedBy}. */
export const FieldProblem: FC<{ readonly field: string; readonly problem: string | null }> = ({ field, problem }) =>
  problem === null ? null : (
    <span class="error" id={`${field}-problem`} role="alert">
      {problem}
    </span>
  )

/** Attributes of a field: what describes it, and whether it is wrong. Then typing starts there. */
export const describedBy = (field: string, problem: string | null, hint?: string) => ({
  'aria-describedby': problem === null ? hint : [`${field}-problem`, hint].filter(Boolean).join(' '),
  ...(problem === null ? {} : ({ 'aria-invalid': 'true', autofocus: true } as const)),
})

/** Renders a name and its value. */
export const Fact: FC<{ readonly name: string; readonly children?: Child }> = ({ name, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Renders the field for an API key. It is never filled in. */
export const ApiKeyField: FC<{ readonly label: string; readonly hint: string; readonly problem: string | null }> = ({
  label,
  hint,
  problem,
}) => (
  <div class="field">
    <label for="apiKey">{label}</label>
    <input
      id="apiKey"
      name="apiKey"
      type="password"
      required
      maxlength={500}
      autocomplete="current-password"
      {...describedBy('apiKey', problem, 'key-hint')}
    />
    <FieldProblem field="apiKey" problem={problem} />
    <span class="hint" id="key-hint">
      {hint}
    </span>
  </div>
)
