/** What a check found: a figure to print, and a line for each thing that is not as promised. */
export interface Outcome {
  /** In short, with numbers: `200 kills, 41,233 acknowledged writes, 0 lost`. */
  readonly figure: string;
  /** Empty when the promise was kept. */
  readonly problems: readonly string[];
}

/** A promise of the service, with what puts it to the proof. */
export interface Check {
  /** `F1` to `F31`. */
  readonly id: string;
  /** The promise, in a sentence that a test can break. */
  readonly promise: string;
  /** Commands that have to be on PATH, or `libfaketime` and `postgres`, which have to be installed. */
  readonly needs?: readonly string[];
  /** How often, or how much: in `npm test`, and in `npm run prove`. */
  readonly rounds: { readonly short: number; readonly full: number };
  /** Proves the promise `rounds` times. Rejects only for a fault of the check itself. */
  run(rounds: number): Promise<Outcome>;
}
