import { css } from './css.js'

/** Buttons, states, notices, time lines, charts. */
export const componentStyles = css`
  button,
  .button {
    font: 500 0.9375rem/1.3 var(--sans);
    display: inline-block;
    padding: 0.5rem 0.95rem;
    border: 1px solid var(--rule-strong);
    border-radius: 5px;
    background: var(--sheet);
    color: var(--ink);
    cursor: pointer;
    text-decoration: none;
    white-space: nowrap;
  }
  button:hover,
  .button:hover {
    border-color: var(--accent);
    color: var(--accent);
  }
  button.primary,
  .button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--accent-ink);
  }
  button.primary:hover,
  .button.primary:hover {
    color: var(--accent-ink);
    filter: brightness(1.12);
  }
  button.danger {
    color: var(--bad);
    border-color: currentColor;
  }
  button.danger:hover {
    background: var(--bad-soft);
    color: var(--bad);
  }
  button.plain {
    border: 0;
    padding: 0;
    background: none;
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 0.18em;
    font-weight: 400;
    font-size: inherit;
  }
  .state {
    display: inline-flex;
    align-items: baseline;
    gap: 0.45rem;
    white-space: nowrap;
    font-weight: 500;
  }
  .state svg {
    width: 0.75rem;
    height: 0.75rem;
    flex: none;
    transform: translateY(0.06rem);
  }
  .state.good {
    color: var(--good);
  }
  .state.warn {
    color: var(--warn);
  }
  .state.bad {
    color: var(--bad);
  }
  .state.quiet {
    color: var(--ink-soft);
  }
  .tag {
    font-size: 0.8125rem;
    padding: 0.05rem 0.45rem;
    border: 1px solid var(--rule-strong);
    border-radius: 3px;
    color: var(--ink-soft);
    white-space: nowrap;
  }
  td .actions {
    flex-wrap: nowrap;
    white-space: nowrap;
  }
  th.url,
  td.url {
    min-width: 13rem;
    font-weight: 400;
  }
  .url {
    font-family: var(--mono);
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  .notice {
    padding: 0.85rem 1.1rem;
    border-radius: 4px;
    background: var(--accent-soft);
    display: grid;
    gap: 0.35rem;
  }
  .notice.bad {
    background: var(--bad-soft);
  }
  .notice.warn {
    background: var(--warn-soft);
  }
  .notice.good {
    background: var(--good-soft);
  }
  .secret {
    font-size: 1rem;
    padding: 0.7rem 0.9rem;
    background: var(--sheet);
    border: 1px dashed var(--rule-strong);
    border-radius: 4px;
    user-select: all;
  }
  .facts {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 19.5rem), 1fr));
    gap: 1rem 2rem;
  }
  .facts.wide {
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr));
  }
  .empty {
    padding: 2rem 0;
    display: grid;
    gap: 0.9rem;
    justify-items: start;
    border-block: 1px solid var(--rule);
  }
  .timeline {
    list-style: none;
    margin: 0;
    padding: 0;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
  }
  .timeline > li {
    position: relative;
    display: grid;
    gap: 0.7rem;
    grid-template-columns: minmax(0, 1fr);
    padding: 0 0 1.9rem 2rem;
  }
  .timeline > li::before {
    content: '';
    position: absolute;
    inset-inline-start: 0.4rem;
    inset-block: 0.7rem -0.7rem;
    border-inline-start: 1px solid var(--rule-strong);
  }
  .timeline > li:last-child::before {
    display: none;
  }
  .timeline .dot {
    position: absolute;
    inset-inline-start: 0;
    inset-block-start: 0.35rem;
    width: 0.875rem;
    height: 0.875rem;
    background: var(--paper);
  }
  .timeline .head {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1.1rem;
    align-items: baseline;
  }
  .timings {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1.4rem;
    font-size: 0.875rem;
    color: var(--ink-soft);
    font-variant-numeric: tabular-nums;
  }
  .chart {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.9rem;
    max-width: 60rem;
  }
  .chart figcaption {
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem 2rem;
    align-items: baseline;
    justify-content: space-between;
  }
  .plot {
    display: grid;
    grid-template: 7.5rem auto / auto minmax(0, 1fr);
    gap: 0.45rem 0.6rem;
    padding-block-start: 0.4rem;
    font-size: 0.8125rem;
    line-height: 1;
    color: var(--ink-soft);
    font-variant-numeric: tabular-nums;
  }
  .plot svg {
    width: 100%;
    height: 100%;
    display: block;
    overflow: visible;
  }
  .plot .heights {
    display: flex;
    flex-direction: column;
    justify-content: space-between;
    margin-block: -0.5em;
    text-align: end;
  }
  .plot .hours {
    grid-column: 2;
    display: grid;
    grid-template-columns: repeat(4, 1fr);
    text-align: end;
  }
  .chart td,
  .chart tbody th {
    padding-block: 0.2rem;
  }
  .chart .good {
    fill: var(--good-fill);
  }
  .chart .warn {
    fill: var(--warn-fill);
  }
  .chart .bad {
    fill: var(--bad-fill);
  }
  .chart line {
    vector-effect: non-scaling-stroke;
  }
  .chart .axis {
    stroke: var(--rule-strong);
  }
  .chart .grid {
    stroke: var(--rule);
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem 1.5rem;
    font-size: 0.875rem;
    color: var(--ink-soft);
  }
  .legend b {
    color: var(--ink);
    font-variant-numeric: tabular-nums;
    font-weight: 600;
  }
  .legend svg {
    display: inline-block;
    width: 0.7rem;
    height: 0.7rem;
    margin-inline-end: 0.4rem;
  }
  .operation {
    border-block-start: 1px solid var(--rule-strong);
    padding-block-start: 1.25rem;
  }
  .operation h3 code {
    font-size: 1rem;
    font-weight: 400;
  }
  .verb {
    font: 600 0.8125rem/1 var(--mono);
    color: var(--accent);
    margin-inline-end: 0.6rem;
  }
  .nowrap {
    white-space: nowrap;
  }
  .copy {
    position: relative;
  }
  .copy button {
    position: absolute;
    inset: 0.5rem 0.5rem auto auto;
    padding: 0.2rem 0.6rem;
    font-size: 0.8125rem;
  }
  .copy:has(button:not([hidden])) pre {
    padding-inline-end: 5.5rem;
  }
  @media (max-width: 40rem) {
    /* The button above the text, which has little room as it is. */
    .copy:has(button:not([hidden])) pre {
      padding-inline-end: 1rem;
      padding-block-start: 2.75rem;
    }
  }
`
