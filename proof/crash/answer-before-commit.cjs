// A known bug for the control: a COMMIT returns at once. The transaction stays open, takes later writes, and ends in time.
const Database = require('better-sqlite3')
const { getters } = require('better-sqlite3/lib/methods/wrappers')

const delayMs = 200
const { prepare } = Database.prototype
const { get: inTransaction } = getters.inTransaction
const open = new WeakSet()

Database.prototype.prepare = function (source, ...rest) {
  const statement = prepare.call(this, source, ...rest)
  const run = statement.run.bind(statement)
  if (source === 'COMMIT') {
    statement.run = () => {
      if (open.has(this)) return
      open.add(this)
      setTimeout(() => {
        open.delete(this)
        if (this.open) run()
      }, delayMs)
    }
  } else if (source === 'BEGIN IMMEDIATE') {
    statement.run = () => (open.has(this) ? undefined : run())
  }
  return statement
}
getters.inTransaction = {
  get() {
    return !open.has(this) && inTransaction.call(this)
  },
  enumerable: true,
}
