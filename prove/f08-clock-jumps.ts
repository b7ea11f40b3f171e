import { inFolder } from './book.ts';
import type { Check, Outcome } from './check.ts';
import { jumpInWindow, jumps, WatchedWindow, type Limited } from './clock-jumps.ts';
import { FakeClock } from './faketime.ts';

import { withServer } from './with-server.ts';

const short = { limit: 5, windowMs: 2_000 };
const law = { limit: 100, windowMs: 60_000 };
/** Servers at once, each with a clock of its own. */
const lanes = 4;

/** The wall clock of a real server is set while a window runs. */
export const check: Check = {
  id: 'F8',
  promise:
    'However the wall clock is set in mid-window: no wait beyond the window, no quota back early, and headers that hold',
  needs: ['libfaketime'],
  rounds: { short: 4, full: 100 },
  run: proveJumps,
};

async function proveJumps(runs: number): Promise<Outcome> {
  const numbers = Array.from({ length: runs }, (_, n) => n);
  const inShort = Array.from({ length: lanes }, (_, lane) =>
    withClock(short, (limited) =>
      runLane(
        limited,
        numbers.filter((n) => n % lanes === lane),
      ),
    ),
  );
  const problems = (await Promise.all([...inShort, withClock(law, checkHeaders)])).flat();
  const figure =
    `${runs} runs of 2 s and ${jumps.length} jumps in one of 60 s (an hour, a second, smeared): ` +
    `${problems.length} broken`;
  return { figure, problems };
}

type Rate = Pick<Limited, 'limit' | 'windowMs'>;

function withClock(rate: Rate, work: (limited: Limited) => Promise<string[]>): Promise<string[]> {
  return inFolder(async (folder) => {
    const clock = await FakeClock.start(folder);
    const flags = ['--rate-limit', `${rate.limit}/${rate.windowMs}ms`];
    return withServer({ flags, environment: clock.environment }, ({ server, owner }) =>
      work({ ...rate, url: server.url, token: owner.token, clock }),
    );
  });
}

async function runLane(limited: Limited, numbers: readonly number[]): Promise<string[]> {
  const problems: string[] = [];
  for (const n of numbers) {
    // Every jump meets every part of a window's first half, in golden steps.
    const atPart = 0.05 + ((n * 0.618_034) % 1) * 0.4;
    problems.push(...(await jumpInWindow(limited, jumps[n % jumps.length]!, atPart)));
  }
  return problems;
}

/** The law's own window, asked after each of the jumps in turn. */
async function checkHeaders(limited: Limited): Promise<string[]> {
  const window = new WatchedWindow(limited);
  await window.open();
  for (const { byMs } of jumps) {
    await limited.clock.set(limited.clock.offsetMs + byMs);
    await window.hasEnded();
  }
  return window.problems;
}
