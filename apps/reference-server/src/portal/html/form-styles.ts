import { css } from './css.js'

/** Forms and their fields. */
export const formStyles = css`
  form {
    display: grid;
    gap: 1.25rem;
    justify-items: start;
  }
  form.inline {
    display: inline;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.25rem;
    align-items: center;
  }
  .field {
    display: grid;
    gap: 0.3rem;
    width: 100%;
    max-width: 40rem;
  }
  .field label,
  legend {
    font-weight: 600;
  }
  .hint {
    font-size: 0.875rem;
    color: var(--ink-soft);
  }
  input[type='text'],
  input[type='url'],
  input[type='password'],
  select {
    font: 1rem/1.4 var(--sans);
    color: inherit;
    background: var(--sheet);
    border: 1px solid var(--rule-strong);
    border-radius: 4px;
    padding: 0.5rem 0.65rem;
    width: 100%;
    min-width: 0;
  }
  input.mono {
    font-family: var(--mono);
    font-size: 0.9375rem;
  }
  input[aria-invalid='true'] {
    border-color: var(--bad);
    box-shadow: inset 0 0 0 1px var(--bad);
  }
  .error {
    color: var(--bad);
    font-size: 0.9375rem;
  }
  fieldset {
    border: 0;
    padding: 0;
    margin: 0;
    width: 100%;
    min-width: 0;
  }
  .choices {
    display: grid;
    margin-block-start: 0.6rem;
    border-block-start: 1px solid var(--rule);
  }
  .choices label {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0.1rem 0.75rem;
    padding: 0.55rem 0;
    border-block-end: 1px solid var(--rule);
    font-weight: 400;
    align-items: baseline;
  }
  .choices .hint {
    grid-column: 2;
  }
  input[type='checkbox'] {
    accent-color: var(--accent);
    width: 1.05rem;
    height: 1.05rem;
    margin: 0;
    align-self: center;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.9rem 1rem;
    align-items: end;
  }
  .filters .field {
    width: auto;
    min-width: 9rem;
    flex: 0 1 auto;
    max-width: 22rem;
  }
  .filters label {
    font-weight: 500;
    font-size: 0.875rem;
  }
  @media (max-width: 40rem) {
    .filters .field {
      flex: 1 1 100%;
      max-width: none;
    }
  }
`
