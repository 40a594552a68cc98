// Preloaded by a server: Node 20 with the driver that needs Node 22.
const path = require.resolve('better-sqlite3/package.json')
require.cache[path] = { id: path, filename: path, loaded: true, exports: { version: '13.0.0' } }
Object.defineProperty(process, 'version', { value: 'v20.20.2' })
