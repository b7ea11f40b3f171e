/** The result of a check: a figure to print, and a line for each violation of the promise. */
export interface Outcome {
  /** A few words with numbers: `200 kills, 41,233 acknowledged writes, 0 lost`. */
  readonly figure: string;
  /** Empty when the promise was kept. */
  readonly problems: readonly string[];
}

/** A check of one goal. */
export interface Check {
  /** The id of a goal in prove/goals.ts. */
  readonly id: string;
  /** Commands that must be on PATH; `libfaketime` and `postgres` must be installed. */
  readonly needs?: readonly string[];
  /** The number of rounds, requests or rows: in `npm test`, and in `npm run prove`. */
  readonly rounds: { readonly short: number; readonly full: number };
  /** Runs `rounds` rounds. Rejects only when the check itself fails. */
  run(rounds: number): Promise<Outcome>;
}

/** How many times longer than promised the short form accepts: it runs among other tests, also on slow machines. */
const patience = 50;

/** Returns the longest time that a check accepts: the promised one in its full form. */
export function acceptedMs(
  promisedMs: number,
  { rounds: { full } }: Check,
  rounds: number,
): number {
  return rounds < full ? promisedMs * patience : promisedMs;
}
