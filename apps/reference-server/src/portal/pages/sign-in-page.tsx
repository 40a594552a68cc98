import type { FC } from 'hono/jsx'
import { signInPath } from '../return-page.js'
import { HtmlDocument } from './document.js'

/** Submitted form and its error. */
export interface SignInProblem {
  readonly form: 'app' | 'operator' | null
  readonly text: string
}

/** Renders the sign-in of an app and of the operator. Submitted values are never shown again. */
export const SignInPage: FC<{
  readonly csrfToken: string
  readonly form: 'app' | 'operator'
  readonly problem: SignInProblem | null
  /** True if the operator can sign in here. */
  readonly operator: boolean
  /** Page of this portal to return to; null for the first one. */
  readonly next: string | null
}> = ({ csrfToken, form, problem, operator, next }) => (
  <HtmlDocument title="Sign in">
    <div class="alone">
      <main>
        <header>
          <span class="wordmark">kyc-relay</span>
          <h1>{form === 'app' ? 'Sign in to the developer portal' : 'Sign in as the operator'}</h1>
        </header>
        {problem === null ? null : (
          <div class="notice bad" role="alert" id="problem">
            <p>{problem.text}</p>
          </div>
        )}
        <form method="post" action={form === 'app' ? '/portal/sign-in' : '/portal/sign-in/operator'}>
          <input type="hidden" name="csrf" value={csrfToken} />
          {next === null ? null : <input type="hidden" name="next" value={next} />}
          {form === 'app' ? (
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
              <div class="field">
                <label for="apiKey">API key</label>
                <input
                  id="apiKey"
                  name="apiKey"
                  type="password"
                  required
                  maxlength={500}
                  autocomplete="current-password"
                />
              </div>
            </>
          ) : (
            <div class="field">
              <label for="internalToken">Internal token</label>
              <input
                id="internalToken"
                name="internalToken"
                type="password"
                required
                maxlength={4096}
                autocomplete="current-password"
                aria-describedby="token-hint"
              />
              <span class="hint" id="token-hint">
                The token of the internal API.
              </span>
            </div>
          )}
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
        {operator ? (
          <p class="hint">
            {form === 'app' ? (
              <a href={signInPath(next, 'operator')}>Sign in as the operator instead</a>
            ) : (
              <a href={signInPath(next)}>Sign in with an application instead</a>
            )}
          </p>
        ) : null}
      </main>
    </div>
  </HtmlDocument>
)
