// A known bug for the control: one answer in fifty is a bare 500.
const { ServerResponse } = require('node:http')

const { writeHead } = ServerResponse.prototype
let answers = 0
ServerResponse.prototype.writeHead = function (status, ...rest) {
  answers += 1
  return writeHead.call(this, answers % 50 === 0 ? 500 : status, ...rest)
}
