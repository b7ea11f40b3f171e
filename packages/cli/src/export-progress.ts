import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

const plainIntervalMs = 5000;
const clearLine = '\r\u001b[K';

/** Shows how far a walk has come whose end nobody knows: the service does not say how many rows there are. */
export interface WalkProgress {
  /** Takes the rows so far and the day they have come back to. */
  update(rows: number, date: string | undefined): void;
  /** Says something in between. */
  say(text: string): void;
  /** Takes the line away. */
  stop(): void;
}

/** Draws one line on a terminal; elsewhere writes a plain line at most every five seconds. */
export function startWalkProgress({ stderr, isTerminal, now }: Surroundings): WalkProgress {
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
