/*
 * How long the tests of this process are. `COFFER_RUNS` is the share of the repetitions that runs: `npm test` sets 0.15,
 * `npm run test:all` sets 1, and without it everything runs.
 */
const share = Number(process.env['COFFER_RUNS'] ?? 1);

/** True when every repetition runs: the second engine of suites without a dialect, all modes of the browser. */
export const isLong = share >= 1;

/** Returns how many cases of a property run, where `count` is the number in the long run: a share, at least 5. */
export function runs(count: number): number {
  return Math.max(Math.min(count, 5), Math.round(count * share));
}
