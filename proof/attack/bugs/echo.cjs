// A known bug for the control: every answer names the target that was asked for.
const { ServerResponse } = require('node:http')

const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (...head) {
  this.setHeader('x-asked-for', encodeURI(this.req.url))
  return writeHead.apply(this, head)
}
