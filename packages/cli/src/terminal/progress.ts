import { writeLine, type CommandContext } from './context.ts';

const plainIntervalMs = 5000;
/** Narrow enough that the bar and the counts of a million rows fit into 80 columns. */
const barWidth = 10;
const clearLine = '\r\u001b[K';

/** Where progress is shown, and its clock. */
export type ProgressContext = Pick<CommandContext, 'stderr' | 'isTerminal' | 'now'>;

/** A piece of work of a known size. */
export interface Work {
  /** Such as `Importing may.csv`. */
  readonly name: string;
  readonly unit: 'bytes' | 'rows';
  readonly total: number;
}

/** Shows how much of a piece of work is done. */
export interface Progress {
  /**
   * Shows the amount done since the start of the work, in its unit. An amount below the last one means that the work
   * has started again. Does nothing after `stop`.
   */
  update(done: number): void;
  stop(): void;
}

/** Shows progress on stderr: a bar on a terminal, otherwise a plain line at most every five seconds. */
export async function startProgress(work: Work, context: ProgressContext): Promise<Progress> {
  return context.isTerminal ? startBar(work, context) : startLines(work, context);
}

function startLines(work: Work, { stderr, now }: ProgressContext): Progress {
  const elapsed = measureTime(now);
  let shownMs = now().getTime();
  let isStopped = false;
  return {
    update(done) {
      const elapsedMs = elapsed(done);
      const nowMs = now().getTime();
      if (isStopped || nowMs - shownMs < plainIntervalMs) return;
      shownMs = nowMs;
      writeLine(stderr, `${work.name}: ${describe(work, done, elapsedMs)}`);
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Draws a bar on the terminal, and removes it when the work is done. */
async function startBar(work: Work, { stderr, now }: ProgressContext): Promise<Progress> {
  // A bundle has no other name for what a CommonJS module exports.
  const { SingleBar } = (await import('cli-progress')).default;
  const elapsed = measureTime(now);
  let elapsedMs = 0;
  const bar = new SingleBar({
    stream: stderr,
    clearOnComplete: true,
    // False would turn off line wrapping in the terminal, and a killed command would leave it off.
    linewrap: true,
    format: (_options, { progress, value }) =>
      // The name is last, because the end of a long line is cut off.
      `${drawn(progress)} ${describe(work, value, elapsedMs)}  ${work.name}`,
  });
  bar.start(work.total, 0);
  return {
    update(done) {
      elapsedMs = elapsed(done);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

function drawn(progress: number): string {
  const full = Math.round(progress * barWidth);
  return `[${'='.repeat(full)}${'-'.repeat(barWidth - full)}]`;
}

/** Returns a function that returns the milliseconds since the work started. It starts again when less is done. */
function measureTime(now: () => Date): (done: number) => number {
  let startedMs = now().getTime();
  let doneBefore = 0;
  return (done) => {
    const nowMs = now().getTime();
    if (done < doneBefore) startedMs = nowMs;
    doneBefore = done;
    return nowMs - startedMs;
  };
}

/** Returns the amount, the rate and the time left, such as `10,000 of 50,000 rows (20 %), 4,300 rows/s, 9 s left`. */
function describe({ unit, total }: Work, done: number, elapsedMs: number): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const amount =
    unit === 'rows'
      ? `${thousands(done)} of ${thousands(total)} rows`
      : `${megabytes(done)} of ${megabytes(total)} MB`;
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  if (perSecond === 0) return `${amount} (${percent} %)`;
  const rate = unit === 'rows' ? `${thousands(perSecond)} rows/s` : `${megabytes(perSecond)} MB/s`;
  return `${amount} (${percent} %), ${rate}, ${duration((total - done) / perSecond)} left`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function thousands(rows: number): string {
  return Math.round(rows).toLocaleString('en');
}

function duration(seconds: number): string {
  const whole = Math.ceil(Math.max(0, seconds));
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`;
}

/** The progress of a walk over pages. The service does not send the number of rows. */
export interface WalkProgress {
  /** Shows the number of rows so far and the date of the last row. */
  update(rows: number, date: string | undefined): void;
  /** Writes a separate line. */
  say(text: string): void;
  /** Removes the line from the terminal. */
  stop(): void;
}

/** Draws one line on a terminal, otherwise writes a plain line at most every five seconds. */
export function startWalkProgress({ stderr, isTerminal, now }: ProgressContext): WalkProgress {
  const startMs = now().getTime();
  let shownMs = startMs;
  const clear = (): void => {
    if (isTerminal) stderr.write(clearLine);
  };
  return {
    update(rows, date) {
      const nowMs = now().getTime();
      const perSecond = (rows * 1000) / Math.max(1, nowMs - startMs);
      const rate = Math.round(perSecond).toLocaleString('en');
      const back = date === undefined ? '' : `, back to ${date}`;
      const text = `${rows.toLocaleString('en')} rows${back}, ${rate} rows/s`;
      if (isTerminal) stderr.write(clearLine + text);
      else if (nowMs - shownMs >= plainIntervalMs) writeLine(stderr, `Exporting: ${text}`);
      else return;
      shownMs = nowMs;
    },
    say(text) {
      clear();
      writeLine(stderr, text);
    },
    stop: clear,
  };
}
