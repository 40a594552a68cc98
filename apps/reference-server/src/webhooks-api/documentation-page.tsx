import { raw } from 'hono/html'
import type { FC } from 'hono/jsx'
import { pageHeadersWith } from '../portal/page-headers.js'

/** Options of Redoc. Its search needs a worker from a `blob:` address, which the policy of the page forbids. */
const options = {
  disableSearch: true,
  nativeScrollbars: true,
  theme: { typography: { fontFamily: 'system-ui, sans-serif', headings: { fontFamily: 'system-ui, sans-serif' } } },
}

/** A transparent pixel. */
const noPicture = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

/**
 * Reads the library, without the picture that it takes from its maker's server. It has a megabyte, and most processes
 * show no page: so it is loaded for the first reader.
 */
async function redoc(): Promise<string> {
  const library = await import('redoc/bundles/redoc.standalone.js?raw')
  return library.default.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', noPicture)
}

const style = 'body { margin: 0 } pre { white-space: pre-wrap !important; overflow-wrap: anywhere }'

/** A page of an API: its title, its document, and the script that starts Redoc. */
export interface ApiPage {
  readonly title: string
  readonly documentPath: string
  readonly scriptPath: string
  readonly iconPath: string
}

/** The page of the partner API. */
export const partnerApiPage: ApiPage = {
  title: 'API reference',
  documentPath: '/api/v1/openapi.json',
  scriptPath: '/assets/api-reference.js',
  iconPath: '/assets/icon.svg',
}

/** A file that a page loads. */
interface Asset {
  readonly address: string
  readonly type: string
  readonly text: () => string | Promise<string>
}

/** What a page loads. */
export function documentationAssets({ documentPath, scriptPath }: ApiPage): readonly Asset[] {
  // The library's small headings skip two levels.
  const start = `const main = document.querySelector('main')
new MutationObserver(() => {
  for (const heading of main.querySelectorAll('h5:not([aria-level])')) heading.setAttribute('aria-level', '3')
}).observe(main, { childList: true, subtree: true })
Redoc.init('${documentPath}', ${JSON.stringify(options)}, main)`
  return [
    { address: '/assets/redoc.js', type: 'text/javascript', text: redoc },
    { address: '/assets/api-reference.css', type: 'text/css', text: () => style },
    { address: scriptPath, type: 'text/javascript', text: () => start },
  ]
}

/** Redoc creates an empty style element and fills it by script, and one for scroll bars. No other inline style is allowed. */
const styleHashes = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
]

/** Headers of the page. The icons of Redoc are `data:` images. */
export const documentationHeaders = pageHeadersWith({
  'style-src': `'self' ${styleHashes.join(' ')}`,
  'img-src': "'self' data:",
})

/** Renders the page in which Redoc draws the API reference from the OpenAPI document. */
export const DocumentationPage: FC<ApiPage> = ({ title, documentPath, scriptPath, iconPath }) => (
  <>
    {raw('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title} · kyc-relay</title>
        <link rel="icon" href={iconPath} />
        <link rel="stylesheet" href="/assets/api-reference.css" />
      </head>
      <body>
        <noscript>
          <p>
            This page needs JavaScript. The same description for machines: <a href={documentPath}>OpenAPI 3.1</a>.
          </p>
        </noscript>
        <main></main>
        <script src="/assets/redoc.js"></script>
        <script src={scriptPath}></script>
      </body>
    </html>
  </>
)
