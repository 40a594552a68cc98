// A known bug for the control: nobody hears of a client that left before its answer was complete.
const { ServerResponse } = require('node:http')
const { Socket } = require('node:net')

const isUnfinished = (response) => response != null && !response.writableFinished
for (const [prototype, responseOf] of [
  [ServerResponse.prototype, (response) => response],
  [Socket.prototype, (socket) => socket._httpMessage],
]) {
  const { emit } = prototype
  prototype.emit = function (event, ...rest) {
    if (event === 'close' && isUnfinished(responseOf(this))) return false
    return emit.call(this, event, ...rest)
  }
}
