// A known bug for the control: `synchronous` is OFF, and the check at the start does not see it.
const Database = require('better-sqlite3')

const { pragma } = Database.prototype
Database.prototype.pragma = function (source, options) {
  if (source === 'synchronous') return 2
  return pragma.call(this, source === 'synchronous = FULL' ? 'synchronous = OFF' : source, options)
}
