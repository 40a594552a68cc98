import { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import { sha256 } from '../sha256.js'
import components from './styles/components.css?raw'
import forms from './styles/forms.css?raw'
import layout from './styles/layout.css?raw'
import theme from './styles/theme.css?raw'
import { script } from './script.js'

const stylesheet = [theme, layout, forms, components].join('\n')
const digest = (text: string) => sha256(text).toString('base64url').slice(0, 16)

/** Addresses of the style sheet and the script. The name changes with the content. */
export const assetPaths = {
  stylesheet: `/assets/${digest(stylesheet)}.css`,
  script: `/assets/${digest(script)}.js`,
} as const

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a5a62"/><path d="M9 8v16M9 17l10-9M12.5 14.5 22 24" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'

/** Serves the style sheet and the script from memory. Browsers cache them for a year. */
export function createAssetRoutes(): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  const headers = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }
  routes.get(assetPaths.stylesheet, (c) =>
    c.body(stylesheet, 200, { ...headers, 'content-type': 'text/css; charset=utf-8' }),
  )
  routes.get(assetPaths.script, (c) =>
    c.body(script, 200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' }),
  )
  routes.get('/assets/icon.svg', (c) => c.body(icon, 200, { ...headers, 'content-type': 'image/svg+xml' }))
  return routes
}
