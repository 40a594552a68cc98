import type { Child, FC } from 'hono/jsx'
import { Crumbs, HtmlDocument, type Crumb } from './document.js'
import type { Session } from '../sessions.js'

/** Places of the navigation. */
export type Place = 'webhooks' | 'new' | 'deliveries' | 'events' | 'keys' | 'kyc'

/** Message on the page after an action, shown once. */
export type Notice = NonNullable<Session['notice']>

interface FrameProps {
  readonly title: string
  readonly session: Session
  readonly place: Place | null
  readonly crumbs: readonly Crumb[]
  readonly lead?: Child
  readonly actions?: Child
  readonly notice?: Notice | null
  readonly children?: Child
}

/** Renders a page for a signed-in user. */
export const PortalFrame: FC<FrameProps> = ({ title, session, place, crumbs, lead, actions, notice, children }) => {
  const said = notice ?? session.notice
  return (
    <HtmlDocument title={title}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="frame">
        <header class="side">
          <a class="wordmark" href="/portal">
            kyc-relay
          </a>
          <button type="button" class="menu-button" popovertarget="menu">
            Menu
          </button>
          <div id="menu" class="menu" popover="auto">
            <nav aria-label="Portal">
              {session.holder.kind === 'app' ? <DeveloperPlaces place={place} /> : <OperatorPlaces place={place} />}
            </nav>
            <div class="who">
              <div>
                <div class="hint">Signed in as</div>
                <div class="name">{session.holder.kind === 'app' ? session.holder.appName : session.holder.name}</div>
              </div>
              <form method="post" action="/portal/sign-out">
                <CsrfField session={session} />
                <button type="submit">Sign out</button>
              </form>
            </div>
          </div>
        </header>
        <main id="main" class="page" tabindex={-1}>
          <header>
            <Crumbs path={crumbs} />
            <div class="title">
              <h1>{breakable(title)}</h1>
              {actions === undefined ? null : <div class="actions">{actions}</div>}
            </div>
            {lead === undefined ? null : <p class="lead">{lead}</p>}
          </header>
          {said === null ? null : (
            <div class={`notice ${said.tone}`} role={said.tone === 'bad' ? 'alert' : 'status'}>
              <p>{said.text}</p>
            </div>
          )}
          {children}
        </main>
      </div>
    </HtmlDocument>
  )
}

/** Renders the CSRF token, which every form of a session has. */
export const CsrfField: FC<{ readonly session: Pick<Session, 'csrfToken'> }> = ({ session }) => (
  <input type="hidden" name="csrf" value={session.csrfToken} />
)

const DeveloperPlaces: FC<{ readonly place: Place | null }> = ({ place }) => (
  <ul>
    <li>
      <span class="level">For Developers</span>
      <ul>
        <li>
          <span class="level">OAuth</span>
          <ul>
            <li>
              <PlaceLink href="/portal/webhooks" current={place === 'webhooks'}>
                Webhooks
              </PlaceLink>
              <ul>
                <li>
                  <PlaceLink href="/portal/webhooks/new" current={place === 'new'}>
                    Add new URL
                  </PlaceLink>
                </li>
              </ul>
            </li>
            <li>
              <PlaceLink href="/portal/deliveries" current={place === 'deliveries'}>
                Delivery log
              </PlaceLink>
            </li>
            <li>
              <PlaceLink href="/portal/events" current={place === 'events'}>
                Event types
              </PlaceLink>
            </li>
            <li>
              <PlaceLink href="/portal/keys" current={place === 'keys'}>
                API key
              </PlaceLink>
            </li>
          </ul>
        </li>
        <li>
          <a href="/api/v1/docs">API reference</a>
        </li>
      </ul>
    </li>
  </ul>
)

const OperatorPlaces: FC<{ readonly place: Place | null }> = ({ place }) => (
  <ul>
    <li>
      <span class="level">Operator</span>
      <ul>
        <li>
          <PlaceLink href="/portal/kyc" current={place === 'kyc'}>
            KYC verifications
          </PlaceLink>
        </li>
      </ul>
    </li>
  </ul>
)

const PlaceLink: FC<{ readonly href: string; readonly current: boolean; readonly children?: Child }> = ({
  href,
  current,
  children,
}) => (
  <a href={href} aria-current={current ? 'page' : undefined}>
    {children}
  </a>
)

/** First breadcrumb levels of every page for developers. */
export const developerCrumbs: readonly Crumb[] = [{ label: 'For Developers' }, { label: 'OAuth' }]

/** Renders a name such as `WIDGET_DEPOSIT_COMPLETE` with line breaks between its words. */
export function breakable(text: string) {
  return text.split(/(?<=_)/).map((word, index) => (
    <>
      {index === 0 ? null : <wbr />}
      {word}
    </>
  ))
}
