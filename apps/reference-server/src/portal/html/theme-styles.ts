import { css } from './css.js'

/** Colours, type and the elements of plain HTML. */
export const themeStyles = css`
  :root {
    color-scheme: light dark;
    --paper: #faf8f4;
    --sheet: #ffffff;
    --ink: #1d1f23;
    --ink-soft: #575c64;
    --rule: #e1dcd2;
    --rule-strong: #8b8577;
    --accent: #0a5a62;
    --accent-ink: #ffffff;
    --accent-soft: #e3efee;
    --good: #1c6a45;
    --good-fill: #3f9a6c;
    --warn: #855100;
    --warn-fill: #d19a36;
    --bad: #a3242b;
    --bad-fill: #c9484c;
    --bad-soft: #faeceb;
    --warn-soft: #faf1df;
    --good-soft: #e6f2ea;
    --serif:
      'Iowan Old Style', 'Palatino Linotype', Palatino, Charter, 'Source Serif 4', Georgia, 'Liberation Serif', serif;
    --sans: system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', 'Liberation Mono', Menlo, monospace;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --paper: #131519;
      --sheet: #1a1d22;
      --ink: #e9e6df;
      --ink-soft: #a9adb5;
      --rule: #30343b;
      --rule-strong: #80858e;
      --accent: #86cdc8;
      --accent-ink: #0c2022;
      --accent-soft: #1d3032;
      --good: #86d3a6;
      --good-fill: #4fa577;
      --warn: #e4b862;
      --warn-fill: #b98732;
      --bad: #f29a95;
      --bad-fill: #cf5c5c;
      --bad-soft: #351e20;
      --warn-soft: #322918;
      --good-soft: #1a2c23;
    }
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  html {
    font: 16px/1.55 var(--sans);
    color: var(--ink);
    background: var(--paper);
    text-size-adjust: 100%;
    font-variant-numeric: lining-nums;
    hanging-punctuation: first last;
  }
  body {
    margin: 0;
  }
  h1,
  h2,
  h3 {
    font-family: var(--serif);
    font-weight: 600;
    line-height: 1.2;
    text-wrap: balance;
    margin: 0;
  }
  h1 {
    overflow-wrap: anywhere;
    font-size: 2rem;
    letter-spacing: -0.012em;
  }
  h2 {
    font-size: 1.3rem;
    letter-spacing: -0.006em;
  }
  h3 {
    font-size: 1.05rem;
  }
  p {
    margin: 0;
    max-width: 68ch;
    text-wrap: pretty;
  }
  a {
    color: var(--accent);
    text-decoration-thickness: 1px;
    text-underline-offset: 0.18em;
  }
  a:hover {
    text-decoration-thickness: 2px;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 2px;
  }
  code,
  pre,
  kbd,
  samp {
    font-family: var(--mono);
    font-size: 0.875em;
    font-variant-ligatures: none;
  }
  code {
    overflow-wrap: anywhere;
  }
  pre {
    margin: 0;
    padding: 0.9rem 1.1rem;
    overflow: auto;
    max-height: 32rem;
    background: var(--sheet);
    border: 1px solid var(--rule);
    border-radius: 4px;
    line-height: 1.5;
    tab-size: 2;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  pre code {
    font-size: inherit;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums lining-nums;
  }
  th,
  td {
    text-align: start;
    vertical-align: baseline;
    padding: 0.6rem 1.25rem 0.6rem 0;
    border-bottom: 1px solid var(--rule);
  }
  th:last-child,
  td:last-child {
    padding-inline-end: 0;
  }
  td,
  th {
    font-size: 0.9375rem;
  }
  td code,
  th code {
    white-space: nowrap;
    overflow-wrap: normal;
  }
  figure {
    margin: 0;
  }
  legend {
    padding: 0;
  }
  thead th {
    font-size: 0.8125rem;
    font-weight: 500;
    color: var(--ink-soft);
    border-bottom-color: var(--rule-strong);
    white-space: nowrap;
  }
  tbody th {
    font-weight: 500;
  }
  dl {
    margin: 0;
  }
  dt {
    color: var(--ink-soft);
    font-size: 0.875rem;
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  hr {
    border: 0;
    border-top: 1px solid var(--rule);
    margin: 0;
  }
  summary {
    cursor: pointer;
  }
`
