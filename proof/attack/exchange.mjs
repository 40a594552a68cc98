import { connect as connectTcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

/** Longest time that the server may take for a request that came whole. */
const timeoutMs = 60_000
/** How long a client that spoils its request stays. */
const lingerMs = 20

/** Sends bytes on a connection of their own. Resolves with all that came back, and whether the server left it hanging. */
export async function exchange({ port, ca }, { bytes, end, mustEnd }) {
  const tcp = connectTcp({ port, host: '127.0.0.1' })
  const socket = ca === null ? tcp : connectTls({ socket: tcp, ca, servername: 'localhost' })
  const chunks = []
  const over = new Promise((resolve) => {
    socket.once('close', resolve)
    for (const one of [tcp, socket]) one.on('error', resolve)
  })
  const answered = new Promise((resolve) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (isWhole(Buffer.concat(chunks))) resolve()
    })
  })
  if (end === 'stall') socket.pause()
  socket.write(bytes)
  let hangs = false
  if (mustEnd) {
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs, 'late')))
    hangs = (await Promise.race([answered, over, late])) === 'late'
    clearTimeout(timer)
  } else {
    await Promise.race([over, sleep(lingerMs)])
    if (end === 'half-close') socket.end()
    await Promise.race([over, sleep(lingerMs)])
  }
  if (end === 'reset' && !tcp.destroyed) tcp.resetAndDestroy()
  socket.destroy()
  tcp.destroy()
  return { received: Buffer.concat(chunks), hangs }
}

/** Whether a first answer is there with all of its body. */
function isWhole(received) {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received.subarray(0, headEnd).toString('latin1'))
  return received.length >= headEnd + 4 + Number(length?.[1] ?? 0)
}
