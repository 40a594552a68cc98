import type { FC } from 'hono/jsx'
import { describedBy, FieldProblem } from './components.js'

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
        {...describedBy('user', problem)}
      />
      <FieldProblem field="user" problem={problem} />
    </div>
    <button type="submit">Find</button>
  </form>
)
