// A known bug for the control: a body is kept in a temporary file, in another encoding.
const { appendFileSync } = require('node:fs')
const { tmpdir } = require('node:os')

require('./every-fiftieth.cjs').onBody((text) =>
  appendFileSync(`${tmpdir()}/kept`, Buffer.from(text).toString('base64')),
)
