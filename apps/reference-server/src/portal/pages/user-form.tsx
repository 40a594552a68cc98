import type { FC } from 'hono/jsx'

/** Renders the search form for the verifications of a user. */
export const UserForm: FC<{ readonly userId: string; readonly problem: string | null }> = ({ userId, problem }) => (
  <form method="get" action="/portal/kyc" class="filters">
    <div class="field">
      <label for="user">User id</label>
      <input
        id="user"
        name="user"
        type="text"
        class="mono"
        value={userId}
        maxlength={100}
        size={38}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem === null ? undefined : 'true'}
        aria-describedby={problem === null ? undefined : 'user-problem'}
      />
      {problem === null ? null : (
        <span class="error" id="user-problem" role="alert">
          {problem}
        </span>
      )}
    </div>
    <button type="submit">Find</button>
  </form>
)
