import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Answer } from '../../test/service/ask.ts';
import { inFolder } from '../../test/service/owners.ts';
import { named, type Check } from '../run/check.ts';
import { FakeClock } from '../../packages/server/src/limiter/testing/faketime.ts';
import { withServer } from '../../test/service/server-process.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const short = { limit: 5, windowMs: 2_000 };
const specified = { limit: 100, windowMs: 60_000 };
const lanes = 4;

export const check: Check = {
  id: 'F8',
  needs: ['libfaketime'],
  rounds: { short: 4, full: 100 },
  run: async (runs) => {
    const numbers = Array.from({ length: runs }, (_, n) => n);
    const inShort = Array.from({ length: lanes }, (_, lane) => {
      const own = numbers.filter((n) => n % lanes === lane);
      return withClock(short, (limited) => runLane(limited, own));
    });
    const problems = (await Promise.all([...inShort, withClock(specified, checkHeaders)])).flat();
    const figure =
      `${runs} windows of 2 s and ${jumps.length} jumps in one of 60 s (an hour, a second, smeared): ` +
      `${problems.length} wrong`;
    return { figure, problems };
  },
};

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
    // Steps of the golden ratio spread each jump over the first half of a window.
    const atPart = 0.05 + ((n * 0.618_034) % 1) * 0.4;
    problems.push(...(await jumpInWindow(limited, jumps[n % jumps.length]!, atPart)));
  }
  return problems;
}

async function checkHeaders(limited: Limited): Promise<string[]> {
  const window = new WatchedWindow(limited);
  await window.open();
  for (const { byMs } of jumps) {
    await limited.clock.set(limited.clock.offsetMs + byMs);
    await window.hasEnded();
  }
  return window.problems;
}

/** A change of the wall clock during a window: the total offset, and the number of steps. */
interface Jump {
  readonly byMs: number;
  readonly steps: number;
}

/** An hour and a second in both directions, smeared leap seconds, and changes below the tolerance. */
const jumps: readonly Jump[] = [
  { byMs: 3_600_000, steps: 1 },
  { byMs: -3_600_000, steps: 1 },
  { byMs: 1_000, steps: 1 },
  { byMs: -1_000, steps: 1 },
  { byMs: 1_000, steps: 16 },
  { byMs: -1_000, steps: 16 },
  { byMs: 400, steps: 1 },
  { byMs: -400, steps: 8 },
];

interface Limited {
  readonly url: string;
  readonly token: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: FakeClock;
}

/** Smaller changes of the clock do not change the announced reset. */
const toleranceMs = 500;
/** The clock is read and set in whole milliseconds. */
const readingMs = 3;
const pollEveryMs = 40;
const mostAttempts = 5;

interface Timed {
  readonly answer: Answer;
  /** Monotonic time of this process: the server handled the request in between. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The milliseconds by which the server's wall clock was ahead of the monotonic one. */
  readonly wallMs: number;
}

class WatchedWindow {
  readonly problems: string[] = [];
  readonly #limited: Limited;
  readonly #from = newAddress();
  readonly #resets = new Set<number>();
  #first: Timed | undefined;

  constructor(limited: Limited) {
    this.#limited = limited;
  }

  async open(): Promise<void> {
    for (let n = 1; n <= this.#limited.limit; n += 1) {
      const timed = await this.#ask();
      this.#first ??= timed;
      this.#check(timed, n);
    }
  }

  /** Sends another request; true when the window has ended and a new one has started. */
  async hasEnded(): Promise<boolean> {
    const timed = await this.#ask();
    const earliestMs = timed.receivedMs - this.#begin.sentMs;
    const latestMs = timed.sentMs - this.#begin.receivedMs;
    const { windowMs } = this.#limited;
    if (timed.answer.status === 200) {
      if (earliestMs < windowMs) this.#say(`quota returned after ${earliestMs} ms`);
      this.#first = timed;
      this.#check(timed, 1);
      return true;
    }
    if (latestMs >= windowMs) this.#say(`refused ${latestMs} ms after its window started`);
    this.#check(timed, this.#limited.limit + 1);
    return latestMs > windowMs * 4;
  }

  /** The least age of the window, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#begin.receivedMs;
  }

  get resets(): number {
    return this.#resets.size;
  }

  get #begin(): Timed {
    if (this.#first === undefined) throw new Error('The window is not open');
    return this.#first;
  }

  async #ask(): Promise<Timed> {
    const { url, token, clock } = this.#limited;
    const wallMs = Date.now() - performance.now() + clock.offsetMs;
    const sentMs = performance.now();
    const answer = await ask(`${url}/v2/me`, { token, from: this.#from });
    return { answer, sentMs, receivedMs: performance.now(), wallMs };
  }

  #check({ answer, sentMs, receivedMs, wallMs }: Timed, n: number): void {
    const { limit, windowMs } = this.#limited;
    const { headers, status } = answer;
    const remaining = Number(headers['ratelimit-remaining']);
    const reset = Number(headers['ratelimit-reset']);
    this.#resets.add(reset);
    if (status !== (n > limit ? 429 : 200)) this.#say(`request ${n} got ${status}`);
    if (remaining !== Math.max(0, limit - n)) this.#say(`request ${n} had ${remaining} remaining`);
    const endsMs = [this.#begin.sentMs + windowMs, this.#begin.receivedMs + windowMs] as const;
    const leeway = toleranceMs + readingMs;
    const [low, high] = [wallMs + endsMs[0] - leeway, wallMs + endsMs[1] + leeway];
    if (reset * 1000 < low || reset * 1000 >= high + 1000)
      this.#say(`Reset ${reset} is not within ${low / 1000} and ${high / 1000 + 1}`);
    if (status !== 429) return;
    const [least, most] = [endsMs[0] - receivedMs, endsMs[1] - sentMs].map(wholeSeconds);
    const retryAfter = Number(headers['retry-after']);
    if (!(retryAfter >= least! && retryAfter <= most! && most! <= Math.ceil(windowMs / 1000)))
      this.#say(`Retry-After ${headers['retry-after']} is not within ${least} and ${most}`);
  }

  #say(problem: string): void {
    this.problems.push(`${this.#from}: ${problem}`);
  }
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

async function jumpInWindow(limited: Limited, jump: Jump, atPart: number): Promise<string[]> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const problems = await tryJump(limited, jump, atPart);
    if (problems !== undefined) return problems;
  }
  return [`the machine is too slow to set the clock within ${limited.windowMs} ms`];
}

/** Like {@link jumpInWindow}; undefined when the window had ended before the clock was set. */
async function tryJump(limited: Limited, jump: Jump, atPart: number) {
  const { clock, windowMs } = limited;
  const window = new WatchedWindow(limited);
  const fromMs = clock.offsetMs;
  let step = 0;
  await window.open();
  while (!(await window.hasEnded())) {
    if (step < jump.steps && window.ageMs >= windowMs * atPart) {
      step += 1;
      await clock.set(fromMs + Math.round((jump.byMs * step) / jump.steps));
    }
    await sleep(pollEveryMs);
  }
  if (step === 0) return undefined;
  // The new window has its own reset.
  const changes = window.resets - 2;
  const mostChanges = Math.abs(jump.byMs) > toleranceMs ? 2 : 0;
  const tooMany = changes > mostChanges ? [`Reset changed ${changes} times`] : [];
  const name = `${jump.byMs} ms in ${jump.steps} steps`;
  return named(name, [...window.problems, ...tooMany]);
}
