import { raw } from 'hono/html'
import type { Child, FC } from 'hono/jsx'
import { assetPaths } from '../assets.js'

/** Renders the HTML document around a page. */
export const HtmlDocument: FC<{ readonly title: string; readonly children?: Child }> = ({ title, children }) => (
  <>
    {raw('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · kyc-relay`}</title>
        <link rel="stylesheet" href={assetPaths.stylesheet} />
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <script src={assetPaths.script} defer></script>
      </head>
      <body>{children}</body>
    </html>
  </>
)

/** One level of a breadcrumb path. */
export interface Crumb {
  readonly label: string
  readonly href?: string
}

/** Renders the breadcrumb path; the last level is the page itself. */
export const Crumbs: FC<{ readonly path: readonly Crumb[] }> = ({ path }) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      {path.map(({ label, href }, index) => (
        <li>
          {href === undefined ? (
            <span aria-current={index === path.length - 1 ? 'page' : undefined}>{label}</span>
          ) : (
            <a href={href}>{label}</a>
          )}
        </li>
      ))}
    </ol>
  </nav>
)
