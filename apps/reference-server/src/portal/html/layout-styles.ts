import { css } from './css.js'

/** Where things stand on a page. */
export const layoutStyles = css`
  .skip {
    position: absolute;
    inset-inline-start: 1rem;
    inset-block-start: -4rem;
    z-index: 2;
    padding: 0.5rem 1rem;
    background: var(--accent);
    color: var(--accent-ink);
    border-radius: 0 0 4px 4px;
  }
  .skip:focus {
    inset-block-start: 0;
  }
  .frame {
    display: grid;
    grid-template-columns: 15.5rem minmax(0, 1fr);
    min-height: 100vh;
  }
  .side {
    padding: 1.75rem 1.5rem 2rem 2rem;
    display: flex;
    flex-direction: column;
    gap: 2rem;
    position: sticky;
    inset-block-start: 0;
    height: 100vh;
    overflow: auto;
  }
  .wordmark {
    font: 600 1.2rem/1.2 var(--serif);
    color: var(--ink);
    text-decoration: none;
    letter-spacing: -0.01em;
  }
  .side nav ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .side nav > ul > li + li {
    margin-block-start: 1.4rem;
  }
  .side nav .level {
    color: var(--ink-soft);
    font-size: 0.875rem;
  }
  .side nav ul ul {
    margin-block-start: 0.3rem;
    padding-inline-start: 0.85rem;
    border-inline-start: 1px solid var(--rule);
  }
  .side nav ul ul .level {
    display: block;
    padding-inline-start: 0.6rem;
  }
  .side nav a {
    display: block;
    padding: 0.22rem 0.6rem;
    margin-inline-start: -0.6rem;
    border-radius: 4px;
    color: var(--ink);
    text-decoration: none;
  }
  .side nav ul ul a {
    margin-inline-start: 0;
  }
  .side nav a:hover {
    background: var(--accent-soft);
  }
  .side nav a[aria-current] {
    color: var(--accent);
    background: var(--accent-soft);
    font-weight: 600;
  }
  .who {
    margin-block-start: auto;
    font-size: 0.875rem;
    display: grid;
    gap: 0.6rem;
    justify-items: start;
  }
  .who .name {
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .frame > .page {
    border-inline-start: 1px solid var(--rule);
  }
  .page {
    padding: 2rem clamp(1.25rem, 4vw, 4rem) 5rem;
    max-width: 82rem;
    display: grid;
    gap: 2.25rem;
    align-content: start;
    grid-template-columns: minmax(0, 1fr);
  }
  .page > header {
    display: grid;
    gap: 0.5rem;
  }
  .crumbs {
    font-size: 0.875rem;
    color: var(--ink-soft);
  }
  .crumbs ol {
    display: flex;
    flex-wrap: wrap;
    gap: 0.1rem 0.45rem;
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .crumbs li + li::before {
    content: '›' / '';
    margin-inline-end: 0.45rem;
  }
  .crumbs a {
    color: inherit;
  }
  .title {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 1.5rem;
    align-items: baseline;
    justify-content: space-between;
  }
  .lead {
    color: var(--ink-soft);
  }
  [data-live] {
    display: grid;
    gap: 2.25rem;
    grid-template-columns: minmax(0, 1fr);
  }
  section {
    display: grid;
    gap: 1rem;
    grid-template-columns: minmax(0, 1fr);
  }
  .columns {
    display: grid;
    gap: 2rem;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr));
  }
  .scroll {
    /* What is hidden visually stays inside. */
    position: relative;
    overflow-x: auto;
  }
  .alone {
    min-height: 100vh;
    display: grid;
    place-content: center;
    padding: 2rem 1.25rem;
  }
  .alone main {
    width: min(26rem, calc(100vw - 2.5rem));
    display: grid;
    gap: 1.75rem;
  }
  .alone header {
    display: grid;
    gap: 0.75rem;
  }
  .alone .wordmark {
    color: var(--accent);
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (max-width: 56rem) {
    .frame {
      display: block;
    }
    .frame > .page {
      border-inline-start: 0;
    }
    .side {
      position: static;
      height: auto;
      border-block-end: 1px solid var(--rule);
      padding: 1.1rem 1.25rem;
      gap: 1rem;
    }
    /* The breadcrumb says the levels. */
    .side nav .level,
    .side nav ul ul .level {
      display: none;
    }
    /* The places in one row, whatever their level, and in as many as it takes. */
    .side nav > ul {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 0.4rem;
      margin-inline-start: -0.6rem;
    }
    .side nav li,
    .side nav ul ul {
      display: contents;
    }
    .side nav a {
      margin-inline-start: 0;
    }
    .who {
      margin-block-start: 0;
      grid-auto-flow: column;
      align-items: center;
      justify-content: space-between;
    }
    .page {
      padding-block: 1.5rem 3rem;
      gap: 1.75rem;
    }
    h1 {
      font-size: 1.6rem;
    }
  }
  @media (max-width: 40rem) {
    table.records thead {
      position: absolute;
      clip-path: inset(50%);
    }
    table.records,
    table.records tbody,
    table.records tr {
      display: block;
    }
    table.records tr {
      padding-block: 0.75rem;
      border-block-end: 1px solid var(--rule);
    }
    table.records tbody tr:first-child {
      border-block-start: 1px solid var(--rule-strong);
    }
    table.records tbody :is(th, td) {
      display: block;
      padding: 0.15rem 0;
      border: 0;
      min-width: 0;
    }
    table.records [data-label] {
      display: grid;
      grid-template-columns: 6.25rem minmax(0, 1fr);
      gap: 0.75rem;
      align-items: baseline;
    }
    table.records [data-label]::before {
      content: attr(data-label) / '';
      font: 400 0.8125rem/1.4 var(--sans);
      color: var(--ink-soft);
    }
    table.records code {
      white-space: normal;
      overflow-wrap: anywhere;
    }
    table.records .actions {
      flex-wrap: wrap;
      padding-block-start: 0.5rem;
    }
    th,
    td {
      padding-inline-end: 0.75rem;
    }
    td .nowrap,
    th .nowrap,
    td .state {
      white-space: normal;
    }
    /* The day, and the time below it. */
    td .nowrap,
    th .nowrap {
      display: inline-block;
      min-width: 6.6rem;
    }
  }
  @media print {
    .side,
    .skip,
    form,
    button {
      display: none;
    }
    .frame {
      display: block;
    }
    .page {
      padding: 0;
      max-width: none;
    }
    pre {
      max-height: none;
    }
    html {
      font-size: 10.5pt;
      background: white;
    }
  }
`
