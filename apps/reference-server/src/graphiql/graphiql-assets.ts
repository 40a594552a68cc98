import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Starts GraphiQL. Nothing is kept in the browser: its storage is in memory, because variables can hold personal data and
 * headers hold a token.
 */
const start = `
const kept = new Map()
const storage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, value),
  removeItem: (name) => void kept.delete(name),
  clear: () => kept.clear(),
  get length() { return kept.size },
}
async function fetcher(operation, { headers } = {}) {
  const answer = await fetch('/api/v1/graphql', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(operation),
  })
  return answer.json()
}
const props = {
  fetcher,
  storage,
  shouldPersistHeaders: false,
  defaultEditorToolsVisibility: 'headers',
  headers: '{\\n  "Authorization": "Bearer "\\n}',
  defaultQuery: '{\\n  viewer {\\n    userId\\n    kycStatus\\n  }\\n}\\n',
}
ReactDOM.createRoot(document.querySelector('main')).render(React.createElement(GraphiQL, props))
`

/** Files of packages, which export no path to them. */
const files = {
  '/assets/graphiql/react.js': ['react', 'umd/react.production.min.js'],
  '/assets/graphiql/react-dom.js': ['react-dom', 'umd/react-dom.production.min.js'],
  '/assets/graphiql/graphiql.js': ['graphiql', 'graphiql.min.js'],
  '/assets/graphiql/graphiql.css': ['graphiql', 'graphiql.min.css'],
} as const

const texts = {
  '/assets/graphiql/start.js': start,
  '/assets/graphiql/page.css': 'html, body, main { height: 100%; margin: 0 }',
} as const

/** Addresses of what the page loads. */
export const graphiqlAssets = [...Object.keys(files), ...Object.keys(texts)] as (
  keyof typeof files | keyof typeof texts
)[]

/** Reads what the page loads. The packages are dependencies of development, so they can be absent: null then. */
export async function readGraphiqlAsset(address: (typeof graphiqlAssets)[number]): Promise<string | null> {
  if (address in texts) return texts[address as keyof typeof texts]
  const [name, file] = files[address as keyof typeof files]
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    return await readFile(join(folder, file), 'utf8')
  } catch {
    return null
  }
}
