import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLease, takeLease, type Lease } from '../book/leases.ts';
import { insertUnlessTaken, updateUnlogged } from '../book/unlogged.ts';
import { blockSize } from '../db/blocks.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { isDatabaseError } from '../db/errors.ts';
import { find } from '../db/rows.ts';
import { jobRuns } from '../db/tables/tables.ts';
import { CryptoRefreshError } from '../outside/provider-error.ts';

/** Work that a server does regularly without a request. */
export interface Job {
  /** Unique among jobs. Also the name in the log and in the database. */
  readonly name: string;
  /** The time from the start of a run that succeeds to the next run, on all nodes together. */
  readonly everyMs: number;
  /**
   * Does the work. Only one node runs it at a time, but another node may continue after a failure, so a run must be
   * safe to repeat. It should end soon after `signal`: the server stops, or another node has taken over.
   */
  run(engine: Engine, nowMs: number, signal: AbortSignal): Promise<void>;
}

/** Does the work of one book. */
export type WorkOfBook = (
  engine: Engine,
  bookId: number,
  nowMs: number,
  signal: AbortSignal,
) => Promise<void>;

/** A job whose work grows with each book. */
export interface BookJob extends Job {
  readonly ofBook: WorkOfBook;
  /** Returns the same job, which does the work of a book in another way. */
  by(ofBook: WorkOfBook): Job;
}

/**
 * Returns the job that does some work for each of the books that need it. `books` returns the next of them after an id,
 * ascending: {@link blockSize}, or fewer at the end.
 */
export function bookJob(
  { name, everyMs }: Pick<Job, 'name' | 'everyMs'>,
  books: (nowMs: number, afterId: number) => Steps<number[]>,
  ofBook: WorkOfBook,
): BookJob {
  const by = (work: WorkOfBook): Job => ({
    name,
    everyMs,
    async run(engine, nowMs, signal) {
      for (let last: number | undefined = 0; last !== undefined;) {
        const afterId: number = last;
        const found = await engine.read(() => books(nowMs, afterId));
        for (const id of found) {
          if (signal.aborted) return;
          await work(engine, id, nowMs, signal);
        }
        last = found[blockSize - 1];
      }
    },
  });
  return { ...by(ofBook), ofBook, by };
}

/** Where work without a request is reported. A Fastify logger has this form: details first, then what happened. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Jobs, and what they need. */
export interface Schedule {
  readonly engine: Engine;
  readonly jobs: readonly Job[];
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Default: the clock of the computer. */
  readonly clock?: JobClock;
  /** The time until the first runs. Default: none. */
  readonly delayMs?: number;
}

/** Jobs that are running. */
export interface RunningJobs {
  /** Aborts the signals of all runs, and resolves when they have ended. Starts no others. */
  close(): Promise<void>;
}

/** If a node dies, another one can run its job after this time. */
const leaseMs = 5 * 60_000;
const renewMs = 60_000;
/** After a failure the delay starts here and doubles, up to {@link mostRetryMs}. */
const firstRetryMs = 60_000;
const mostRetryMs = 15 * 60_000;
/** Timers have a limit, and the clock may be set: a longer wait is divided. */
const mostSleepMs = 60 * 60_000;

/**
 * Runs each job after `delayMs` and then on its schedule, until closed.
 *
 * The database keeps when a job last ran, so a restart does not repeat it early, and a lease for each job, so only one
 * node runs it at a time. Failures are logged and repeated after a delay; they never reach the caller.
 */
export function startJobs(schedule: Schedule): RunningJobs {
  const { engine, jobs, log, clock = systemClock, delayMs = 0 } = schedule;
  const closing = new AbortController();
  const run = async (job: Job): Promise<void> => {
    if (delayMs > 0) await clock.sleep(delayMs, closing.signal);
    await new JobLoop(engine, job, log, clock).run(closing.signal);
  };
  const runs = jobs.map(run);
  return {
    close: async () => {
      closing.abort();
      await Promise.all(runs);
    },
  };
}

/** Runs one job again and again. */
class JobLoop {
  readonly #engine: Engine;
  readonly #job: Job;
  readonly #log: Pick<Log, 'warn' | 'error'>;
  readonly #clock: JobClock;
  readonly #holder = randomUUID();
  #lease: Lease | null = null;
  #failures = 0;

  constructor(engine: Engine, job: Job, log: Pick<Log, 'warn' | 'error'>, clock: JobClock) {
    this.#engine = engine;
    this.#job = job;
    this.#log = log;
    this.#clock = clock;
  }

  async run(closing: AbortSignal): Promise<void> {
    while (!closing.aborted) {
      const waitMs = await this.#attempt(closing);
      await this.#clock.sleep(Math.min(Math.max(waitMs, 0), mostSleepMs), closing);
    }
  }

  /** Runs the job if it is due and no other node runs it. Returns the time until the next attempt. */
  async #attempt(closing: AbortSignal): Promise<number> {
    try {
      const waitMs = await this.#runIfDue(closing);
      this.#failures = 0;
      return waitMs;
    } catch (error) {
      // A run that was stopped continues after the next start.
      if (!closing.aborted) this.#report(error);
      const retryMs = firstRetryMs * 2 ** Math.min(this.#failures, 10);
      this.#failures += 1;
      return Math.min(retryMs, mostRetryMs);
    }
  }

  async #runIfDue(closing: AbortSignal): Promise<number> {
    const { name, everyMs } = this.#job;
    const early = await this.#engine.read(() => this.#msUntilDue());
    if (early > 0) return early;
    const lease = await this.#engine.write(() => this.#takeIfDue());
    // Another node runs it. If it dies, its lease ends by then.
    if (lease === null) return Math.min(everyMs, leaseMs);
    const startedMs = this.#clock.nowMs();
    try {
      await this.#runHolding(closing, startedMs);
    } catch (error) {
      await this.#engine.write(() => this.#end()).catch(() => undefined);
      throw error;
    }
    const ran_at = new Date(startedMs).toISOString();
    const end = this.#end.bind(this);
    await this.#engine.write(function* () {
      yield* insertUnlessTaken(jobRuns, { name, ran_at });
      yield* updateUnlogged(jobRuns, { name }, { ran_at });
      yield* end();
    });
    return everyMs - (this.#clock.nowMs() - startedMs);
  }

  /** A last run in the future was on a node with another clock, or before this one was set back: it does not count. */
  *#msUntilDue(): Steps<number> {
    const last = yield* find(jobRuns, { name: this.#job.name });
    if (last === undefined) return 0;
    const elapsedMs = this.#clock.nowMs() - Date.parse(last.ran_at);
    return elapsedMs < 0 ? 0 : Math.max(0, this.#job.everyMs - elapsedMs);
  }

  *#takeIfDue(): Steps<Lease | null> {
    this.#lease = yield* takeLease(`job ${this.#job.name}`, this.#holder, leaseMs);
    if (this.#lease === null || (yield* this.#msUntilDue()) === 0) return this.#lease;
    yield* this.#end();
    return null;
  }

  *#end(): Steps<void> {
    if (this.#lease !== null) yield* endLease(this.#lease);
  }

  /** Runs the job, and renews the lease meanwhile. Aborts the run if another node has taken over. */
  async #runHolding(closing: AbortSignal, startedMs: number): Promise<void> {
    const ended = new AbortController();
    const lost = new AbortController();
    const renewing = this.#renew(ended.signal, lost);
    try {
      const signal = AbortSignal.any([closing, lost.signal]);
      await this.#job.run(this.#engine, startedMs, signal);
    } finally {
      ended.abort();
      await renewing;
    }
  }

  async #renew(ended: AbortSignal, lost: AbortController): Promise<void> {
    for (;;) {
      await this.#clock.sleep(renewMs, ended);
      if (ended.aborted) return;
      const name = `job ${this.#job.name}`;
      const lease = await this.#engine
        .write(() => takeLease(name, this.#holder, leaseMs))
        // The database may be busy. The lease is longer than several attempts.
        .catch(() => this.#lease);
      if (lease === null) {
        lost.abort(new Error('Another node has taken over the job'));
        return;
      }
      this.#lease = lease;
    }
  }

  #report(error: unknown): void {
    const job = this.#job.name;
    const message = 'A job failed and will be repeated';
    try {
      // Other writers were faster. That is no fault, and has no place in this code.
      if (isDatabaseError(error, 'busy')) this.#log.warn({ job, detail: error.message }, message);
      // Nor has a provider that failed.
      else if (error instanceof CryptoRefreshError)
        this.#log.error({ job, reason: error.reason, detail: error.message }, message);
      else this.#log.error({ job, err: error }, message);
    } catch {
      // The job matters more than its log.
    }
  }
}

/** The clock and the timers of the scheduler. Tests replace them. */
export interface JobClock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after a time, or at once when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the computer. Its timers do not keep the process alive. */
export const systemClock: JobClock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined),
};
