import type { FC } from 'hono/jsx'
import type { PortalKind } from '../session-cookie.js'
import { ApiKeyField } from './components.js'
import { HtmlDocument } from './document.js'

/** Renders the sign-in of an app, or of an operator. Submitted values are never shown again. */
export const SignInPage: FC<{
  readonly csrfToken: string
  readonly kind: PortalKind
  readonly message: string | null
  readonly isProblem: boolean
  /** Page of this portal to return to; null for the first one. */
  readonly next: string | null
}> = ({ csrfToken, kind, message, isProblem, next }) => (
  <HtmlDocument title="Sign in">
    <div class="alone">
      <main>
        <header>
          <span class="wordmark">kyc-relay</span>
          <h1>{kind === 'app' ? 'Sign in to the developer portal' : 'Sign in as an operator'}</h1>
        </header>
        {message === null ? null : (
          <div class={`notice ${isProblem ? 'bad' : 'good'}`} role={isProblem ? 'alert' : 'status'} id="message">
            <p>{message}</p>
          </div>
        )}
        <form method="post" action="/portal/sign-in">
          <input type="hidden" name="csrf" value={csrfToken} />
          {next === null ? null : <input type="hidden" name="next" value={next} />}
          {kind === 'app' ? (
            <>
              <div class="field">
                <label for="app">Application</label>
                <input
                  id="app"
                  name="app"
                  type="text"
                  required
                  maxlength={200}
                  autocomplete="username"
                  autocapitalize="off"
                  spellcheck={false}
                  aria-describedby="app-hint"
                />
                <span class="hint" id="app-hint">
                  Name or id of the application.
                </span>
              </div>
              <ApiKeyField
                label="API key"
                hint="You get the first key when your application is registered. Make later ones here, under API key."
                problem={null}
              />
            </>
          ) : (
            <div class="field">
              <label for="operatorToken">Operator token</label>
              <input
                id="operatorToken"
                name="operatorToken"
                type="password"
                required
                maxlength={4096}
                autocomplete="current-password"
                aria-describedby="token-hint"
              />
              <span class="hint" id="token-hint">
                Your own token. OPERATORS_FILE has its hash.
              </span>
            </div>
          )}
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
      </main>
    </div>
  </HtmlDocument>
)
