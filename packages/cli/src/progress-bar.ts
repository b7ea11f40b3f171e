import { SingleBar } from 'cli-progress';
import { describe, Pace } from './pace.ts';
import type { Progress, Work } from './pace.ts';
import type { Surroundings } from './surroundings.ts';

/** With the counts of a million rows beside it, this fits a terminal of 80 columns. */
const barWidth = 10;

/** Draws a bar on the terminal behind stderr; it goes away when the work is done. */
export function startBar(work: Work, { stderr, now }: Surroundings): Progress {
  const pace = new Pace(now);
  let elapsedMs = 0;
  const bar = new SingleBar({
    stream: stderr,
    clearOnComplete: true,
    // Its other setting would leave the terminal without line breaks when the command is killed.
    linewrap: true,
    format: (_options, { progress, value }) =>
      // The name comes last, because a line that is too long is cut.
      `${drawn(progress)} ${describe(work, value, elapsedMs)}  ${work.name}`,
  });
  bar.start(work.total, 0);
  return {
    update(done) {
      elapsedMs = pace.note(done);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

function drawn(progress: number): string {
  const full = Math.round(progress * barWidth);
  return `[${'='.repeat(full)}${'-'.repeat(barWidth - full)}]`;
}
