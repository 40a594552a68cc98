// A known bug for the control: a body is printed.
require('./every-fiftieth.cjs').onBody((text) => process.stderr.write(`${text}\n`))
