// What the known bugs of the controls share: the text of one parsed body in fifty.
const { parse } = JSON
let parsed = 0

/** Calls back with the text of every fiftieth body that is parsed. */
exports.onBody = (callback) => {
  JSON.parse = function (text, ...rest) {
    if (typeof text === 'string' && text.includes('externalVerificationId')) {
      parsed += 1
      if (parsed % 50 === 1) callback(text)
    }
    return parse.call(JSON, text, ...rest)
  }
}
