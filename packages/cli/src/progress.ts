import { describe, Pace } from './pace.ts';
import type { Progress, Work } from './pace.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

const plainIntervalMs = 5000;

/** Shows progress on stderr: a bar on a terminal, elsewhere a plain line at most every five seconds. */
export async function startProgress(work: Work, surroundings: Surroundings): Promise<Progress> {
  if (!surroundings.isTerminal) return startLines(work, surroundings);
  const { startBar } = await import('./progress-bar.ts');
  return startBar(work, surroundings);
}

function startLines(work: Work, { stderr, now }: Surroundings): Progress {
  const pace = new Pace(now);
  let shownMs = now().getTime();
  let isStopped = false;
  return {
    update(done) {
      const elapsedMs = pace.note(done);
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
