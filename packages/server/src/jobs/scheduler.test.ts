import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { forgetLeases, takeLease } from '../book/leases.ts';
import { deleteUnlogged } from '../book/unlogged.ts';
import { blockSize } from '../db/blocks.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { DatabaseError } from '../db/errors.ts';
import { find } from '../db/rows.ts';
import { jobRuns, leases } from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { CryptoRefreshError } from '../outside/provider-error.ts';
import { bookJob, startJobs, type Job, type RunningJobs } from './scheduler.ts';
import { ManualJobClock } from './testing/manual-job-clock.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** One run of a job, which ends when a test ends it or when its signal is aborted. */
interface Run {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  end(error?: Error): void;
}

class HeldJob implements Job {
  readonly name = 'held';
  readonly everyMs: number;
  readonly runs: Run[] = [];

  constructor(everyMs: number) {
    this.everyMs = everyMs;
  }

  run(_engine: Engine, nowMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const end = (error?: Error) => (error === undefined ? resolve(undefined) : reject(error));
    signal.addEventListener('abort', () => end(signal.reason as Error));
    this.runs.push({ nowMs, signal, end });
    return promise;
  }
}

for (const { name, skip, openNodes } of usualEngines) {
  describe(`jobs on ${name}`, { skip }, () => {
    let nodes: Engine[];
    let clock: ManualJobClock;
    let log: { job?: string; err?: Error; level?: string }[];
    before(async () => {
      nodes = await openNodes([Date.now, Date.now]);
    });
    beforeEach(async () => {
      clock = new ManualJobClock(startMs);
      log = [];
      await nodes[0]!.write(function* () {
        yield* forgetLeases('job ');
        yield* deleteUnlogged(jobRuns, { name: 'held' });
      });
    });

    const start = (job: Job, node = 0, delayMs = 0): RunningJobs =>
      startJobs({
        delayMs,
        engine: nodes[node]!,
        jobs: [job],
        log: {
          warn: (details) => void log.push({ level: 'warn', ...details }),
          error: (details) => void log.push(details),
        },
        clock,
      });
    const until = async (isDone: () => boolean): Promise<void> => {
      for (let turn = 0; turn < 50_000 && !isDone(); turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      assert.ok(isDone(), String(isDone));
    };
    /** Waits until so many are asleep: loops between runs, and renewals of leases during a run. */
    const asleep = (count = 1) => until(() => clock.sleeping === count);
    /** Waits for a run, and ends it. Resolves when its loop is asleep. */
    const ended = async (job: HeldJob, count: number, error?: Error): Promise<void> => {
      await until(() => job.runs.length === count);
      const { sleeps } = clock;
      job.runs.at(-1)!.end(error);
      await until(() => clock.sleeps > sleeps);
    };
    const ranAt = async () =>
      (await nodes[0]!.read(() => find(jobRuns, { name: 'held' })))?.ran_at ?? null;
    const lease = () => nodes[0]!.read(() => find(leases, { name: 'job held' }));

    it('run at start and then on schedule, also across a restart', async () => {
      const job = new HeldJob(dayMs);
      const first = start(job);
      await until(() => job.runs.length === 1);
      assert.equal(await ranAt(), null);
      clock.advance(minuteMs / 2);
      await ended(job, 1);
      assert.equal(await ranAt(), new Date(startMs).toISOString());
      assert.equal((await lease())!.expires_at_ms, 0, 'the lease is ended');
      await first.close();

      clock.set(startMs);
      const second = start(job);
      for (let hour = 1; hour <= 24; hour += 1) {
        await asleep();
        assert.ok(clock.nextMs <= hourMs, 'timers have a limit');
        assert.equal(job.runs.length, 1, 'not again on the same day');
        clock.advance(hourMs);
      }
      await ended(job, 2);
      assert.equal(job.runs[1]!.nowMs, startMs + dayMs);
      await second.close();
      assert.deepEqual(log, []);
    });

    it('run on one node at a time, and on another when the lease has ended', async () => {
      const [one, other] = [new HeldJob(hourMs), new HeldJob(hourMs)];
      const first = start(one, 0);
      await until(() => one.runs.length === 1);
      const second = start(other, 1);
      for (let minute = 0; minute < 30; minute += 1) {
        await asleep(2);
        clock.advance(minuteMs);
      }
      await asleep(2);
      assert.deepEqual([one.runs.length, other.runs.length, log.length], [1, 0, 0]);

      await nodes[1]!.write(function* () {
        yield* forgetLeases('job ');
        yield* takeLease('job held', 'a third node', 9 * minuteMs);
      });
      clock.advance(minuteMs);
      await until(() => log.length === 1);
      await asleep(2);
      assert.equal(one.runs[0]!.signal.aborted, true, 'a run without its lease is aborted');
      assert.match(log[0]!.err!.message, /Another node has taken over/);

      await nodes[0]!.write(() => forgetLeases('job '));
      clock.advance(5 * minuteMs);
      await until(() => one.runs.length + other.runs.length === 2);
      await asleep(2);
      assert.equal(one.runs.length + other.runs.length, 2);
      await Promise.all([first.close(), second.close()]);
    });

    it('wait until the lease of another node can end, and renew their own each minute', async () => {
      await nodes[1]!.write(() => takeLease('job held', 'another node', 9 * minuteMs));
      const job = new HeldJob(hourMs);
      const jobs = start(job);
      await asleep();
      assert.equal(clock.nextMs, 5 * minuteMs);
      await nodes[1]!.write(() => forgetLeases('job '));
      clock.advance(5 * minuteMs);
      await until(() => job.runs.length === 1);
      await asleep();
      assert.equal(clock.nextMs, minuteMs);
      assert.ok((await lease())!.expires_at_ms <= Date.now() + 5 * minuteMs);
      await jobs.close();
    });

    it('do not run again on a node that was slow to take the lease', async () => {
      const engine = nodes[1]!;
      const gate = Promise.withResolvers<undefined>();
      let reads = 0;
      const slow: Pick<Engine, 'read' | 'write'> = {
        read: async (steps) => {
          const result = await engine.read(steps);
          reads += 1;
          await gate.promise;
          return result;
        },
        write: (steps) => engine.write(steps),
      };
      const job = new HeldJob(dayMs);
      const error = (details: object) => void log.push(details);
      const late = startJobs({
        engine: slow as Engine,
        jobs: [job],
        log: { warn: error, error },
        clock,
      });
      await until(() => reads === 1);
      const first = start(job);
      await ended(job, 1);
      gate.resolve(undefined);
      await asleep(2);
      assert.deepEqual([job.runs.length, log], [1, []]);
      await Promise.all([late.close(), first.close()]);
    });

    it('are repeated after a failure, later each time, and never throw', async () => {
      const job = new HeldJob(dayMs);
      const jobs = start(job);
      const delays: number[] = [];
      for (let attempt = 0; attempt < 7; attempt += 1) {
        await ended(job, attempt + 1, new Error(`failure ${attempt}`));
        delays.push(clock.nextMs / minuteMs);
        clock.advance(clock.nextMs);
      }
      assert.deepEqual(delays, [1, 2, 4, 8, 15, 15, 15]);
      assert.deepEqual(
        log.map(({ err, job: named }) => [named, err!.message]),
        delays.map((_, attempt) => ['held', `failure ${attempt}`]),
      );
      assert.equal(await ranAt(), null);
      await ended(job, 8);
      assert.notEqual(await ranAt(), null);
      await jobs.close();
    });

    it('log the reason of a provider that failed, without a stack trace', async () => {
      const job = new HeldJob(dayMs);
      const jobs = start(job);
      await ended(job, 1, new CryptoRefreshError('unreachable', 'It cannot be reached'));
      await jobs.close();
      const expected = { job: 'held', reason: 'unreachable', detail: 'It cannot be reached' };
      assert.deepEqual(log, [expected]);
    });

    it('warn, without a stack trace, when other writers kept the database busy', async () => {
      const job = new HeldJob(dayMs);
      const jobs = start(job);
      await ended(job, 1, new DatabaseError('busy', 'Waiting for other writers timed out'));
      clock.advance(clock.nextMs);
      await ended(job, 2, new DatabaseError('full', 'There is no space'));
      await jobs.close();
      const [busy, full] = log;
      const detail = 'Waiting for other writers timed out';
      assert.deepEqual(busy, { level: 'warn', job: 'held', detail });
      assert.equal(full!.err!.message, 'There is no space');
      assert.equal(log.length, 2);
    });

    it('wait after a start for as long as they were given, and stop while they wait', async () => {
      const job = new HeldJob(hourMs);
      const waiting = start(job, 0, minuteMs);
      await asleep();
      clock.advance(minuteMs - 1);
      await waiting.close();
      assert.equal(job.runs.length, 0);
      const running = start(job, 0, minuteMs);
      await asleep();
      clock.advance(minuteMs);
      await until(() => job.runs.length === 1);
      await running.close();
    });

    it('stop at once when the server stops, without a failure', async () => {
      const job = new HeldJob(dayMs);
      const running = start(job);
      await until(() => job.runs.length === 1);
      await running.close();
      assert.equal(job.runs[0]!.signal.aborted, true);
      assert.equal(clock.sleeping, 0);
      assert.deepEqual([await ranAt(), log], [null, []]);
      assert.equal((await lease())!.expires_at_ms, 0, 'another node can start at once');
      const again = start(job);
      await ended(job, 2);
      await again.close();
      assert.equal(clock.sleeping, 0);
    });

    it('run although the clock was set back, and although the log fails', async () => {
      const job = new HeldJob(dayMs);
      const first = start(job);
      await ended(job, 1);
      await first.close();
      clock.set(startMs - 10 * dayMs);
      const full = () => {
        throw new Error('The log is full');
      };
      const second = startJobs({
        engine: nodes[0]!,
        jobs: [job],
        clock,
        log: { warn: full, error: full },
      });
      await ended(job, 2, new Error('failure'));
      clock.advance(minuteMs);
      await ended(job, 3);
      await second.close();
    });
  });
}

it('the books of a job are read a few hundred at a time', async () => {
  const ids = Array.from({ length: 2 * blockSize }, (_, at) => 3 * at + 1);
  const [done, after]: [number[], number[]] = [[], []];
  const job = bookJob(
    { name: 'test', everyMs: hourMs },
    function* (_nowMs, afterId) {
      yield* [];
      after.push(afterId);
      return ids.filter((id) => id > afterId).slice(0, blockSize);
    },
    (_engine, id) => Promise.resolve(void done.push(id)),
  );
  const engine = { read: (steps: () => Steps<unknown>) => Promise.resolve(steps().next().value) };
  await job.run(engine as unknown as Engine, startMs, new AbortController().signal);
  assert.deepEqual(done, ids);
  assert.deepEqual(after, [0, ids[blockSize - 1], ids.at(-1)]);
});
