// A known bug for the control: the next answer repeats a body in a header.
const { ServerResponse } = require('node:http')

let last = null
require('./every-fiftieth.cjs').onBody((text) => (last = text))
const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (...head) {
  if (last !== null) this.setHeader('x-parsed', encodeURIComponent(last).slice(0, 8_000))
  last = null
  return writeHead.apply(this, head)
}
