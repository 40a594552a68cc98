// Whether the process in this container answers: exit code 0 or 1. Every role serves it on loopback.
const response = await fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT ?? 4001}/healthz`, {
  signal: AbortSignal.timeout(4000),
}).catch(() => null)
process.exitCode = response?.status === 200 ? 0 : 1
