/** A piece of work whose end is known. */
export interface Work {
  /** What is done to what, such as `Importing may.csv`. */
  readonly name: string;
  readonly unit: 'bytes' | 'rows';
  readonly total: number;
}

/** How far a piece of work has come. */
export interface Progress {
  /**
   * Takes what is done since the start of the work, in its unit; drawn at most a few times a second. Less than the time
   * before means that the work began anew. Does nothing after `stop`.
   */
  update(done: number): void;
  stop(): void;
}

const megabyte = 1_000_000;

/** Knows when a piece of work began, also when it begins anew. */
export class Pace {
  readonly #now: () => Date;
  #startedMs: number;
  #done = 0;

  constructor(now: () => Date) {
    this.#now = now;
    this.#startedMs = now().getTime();
  }

  /** The milliseconds that `done` took. */
  note(done: number): number {
    const nowMs = this.#now().getTime();
    if (done < this.#done) this.#startedMs = nowMs;
    this.#done = done;
    return nowMs - this.#startedMs;
  }
}

/** Says how far, how fast and how long still: `10,000 of 50,000 rows (20 %), 4,300 rows/s, 9 s left`. */
export function describe({ unit, total }: Work, done: number, elapsedMs: number): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const amount =
    unit === 'rows' ? `${thousands(done)} of ${thousands(total)} rows` : ofMegabytes(done, total);
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  if (perSecond === 0) return `${amount} (${percent} %)`;
  const rate = unit === 'rows' ? `${thousands(perSecond)} rows/s` : `${megabytes(perSecond)} MB/s`;
  return `${amount} (${percent} %), ${rate}, ${duration((total - done) / perSecond)} left`;
}

function ofMegabytes(done: number, total: number): string {
  return `${megabytes(done)} of ${megabytes(total)} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / megabyte).toFixed(1);
}

function thousands(rows: number): string {
  return Math.round(rows).toLocaleString('en');
}

function duration(seconds: number): string {
  const whole = Math.ceil(Math.max(0, seconds));
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}
