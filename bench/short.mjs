/**
 * What `npm run bench -- --short` measures, and how much of it: everything of docs/benchmarks.md in about 20 minutes on two
 * quiet cores. Each entry has the environment variables of its measurement; a measurement without any has its whole size.
 */
export const short = {
  'verify-webhook': {},
  'bundle-size': {},
  ingestion: { BENCH_ROUNDS: '3', BENCH_SUBMISSIONS: '8000' },
  deliveries: { BENCH_ROUNDS: '3' },
  sender: { BENCH_ROUNDS: '3' },
  isolation: { BENCH_ROUNDS: '2' },
  growth: { BENCH_ROUNDS: '2', BENCH_WARM_UP_ROUNDS: '0', BENCH_SHARE: '0.5' },
  start: { BENCH_ROUNDS: '5' },
  recover: { BENCH_EVENTS: '20000', BENCH_RECOVERY_SECONDS: '30' },
  'delivery-log': { BENCH_ROUNDS: '5' },
  'pinned-horizon': { BENCH_SECONDS: '30' },
}
