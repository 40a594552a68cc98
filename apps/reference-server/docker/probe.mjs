// Whether the process in this container answers: exit code 0 or 1. ROLE=secure and ROLE=worker serve probes on
// OPERATIONS_HOST, the others on loopback.
const { HOST, INTERNAL_PORT, OPERATIONS_HOST, ROLE } = process.env
const loopback = HOST === '::1' ? '[::1]' : '127.0.0.1'
const given = ROLE === 'secure' || ROLE === 'worker' ? (OPERATIONS_HOST ?? '') : ''
const host = given === '' || given === '0.0.0.0' ? loopback : given === '::' ? '[::1]' : bracketed(given)
const response = await fetch(`http://${host}:${INTERNAL_PORT || 4001}/healthz`, {
  signal: AbortSignal.timeout(4000),
}).catch(() => null)
process.exitCode = response?.status === 200 ? 0 : 1

function bracketed(address) {
  return address.includes(':') ? `[${address}]` : address
}
