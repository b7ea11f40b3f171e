import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../../packages/core/src/testing/starts.ts';
import { inFolder } from '../../test/service/owners.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, named, type Check } from '../run/check.ts';
import { DatabaseResponses, repeatUntil } from '../run/database-responses.ts';
import { lossProblems } from '../run/ledger.ts';
import { readSteadily } from '../run/paced-reads.ts';

const slowestReadMs = 100;
/** Much less than a write waits. */
const heldMs = { short: 2500, full: 3000 };
const aloneMs = 1000;
const writers = 8;
const writerPauseMs = 50;
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories'];
const flags = ['--rate-limit', '1000000'];

export const check: Check = {
  id: 'F21',
  rounds: { short: 1, full: 50 },
  run: (rounds) =>
    inFolder((folder) => {
      const database = join(folder, 'coffer.db');
      return withSynced({ database, flags }, writers, async (synced) => {
        const held = await synced.serve(async (server) => {
          const other = await startOtherWriter(database);
          try {
            return await holdOften(server.url, other, synced, rounds);
          } finally {
            await server.end('SIGTERM');
            await other.end();
          }
        });
        const losses = await synced.accounts.compare();
        return { ...held, problems: [...held.problems, ...lossProblems(losses, 'writes', true)] };
      });
    }),
};

type OtherWriter = Awaited<ReturnType<typeof startOtherWriter>>;

async function holdOften(url: string, other: OtherWriter, synced: Synced, rounds: number) {
  const { accounts, owner } = synced;
  const holdMs = rounds < check.rounds.full ? heldMs.short : heldMs.full;
  const answers = new DatabaseResponses();
  const problems: string[] = [];
  let worst = { heldMs: 0, aloneMs: 0 };
  let reads = 0;
  const measure = async (
    forMs: number,
    to: DatabaseResponses,
    whenOver = () => Promise.resolve(),
  ) => {
    const end = sleep(forMs);
    const refresh = (index: number) => async () => to.add(await accounts.refresh(url, index));
    const writing = Array.from({ length: writers }, (_, index) =>
      repeatUntil(end, writerPauseMs, refresh(index)),
    );
    const times = await readSteadily(url, owner.token, paths, end);
    await whenOver();
    await Promise.all(writing);
    return times;
  };
  // First use loads code, which has nothing to do with locks.
  for (let index = 0; index < writers; index += 1) await accounts.refresh(url, index);
  for (let round = 1; round <= rounds; round += 1) {
    const alone = await measure(aloneMs, new DatabaseResponses());
    // On a busy machine reads are slow even without the lock.
    const allowedMs = Math.max(acceptedMs(slowestReadMs, check, rounds), 2 * alone.p99Ms);
    await other.hold();
    const { count, p99Ms, failures } = await measure(holdMs, answers, () => other.free());
    if (p99Ms > worst.heldMs) worst = { heldMs: p99Ms, aloneMs: alone.p99Ms };
    reads += count;
    const found = [...failures];
    if (!(p99Ms <= allowedMs))
      found.push(`p99 of reads is ${p99Ms} ms, ${alone.p99Ms} ms just before`);
    const after = await accounts.refresh(url, round % writers);
    if (after.status !== 200) found.push(`the next write gets ${after.status}`);
    problems.push(...named(`hold ${round}`, found));
  }
  problems.push(...answers.problems);
  if (answers.succeeded === 0) problems.push('no waiting write was stored');
  if (answers.refused > 0) problems.push(`${answers.refused} writes were refused`);
  const figure =
    `${rounds} times ${holdMs / 1000} s: worst p99 of ${reads} reads ${worst.heldMs.toFixed(1)} ms ` +
    `(${worst.aloneMs.toFixed(1)} ms without the lock), ` +
    `${answers.succeeded} writes stored`;
  return { figure, problems };
}

async function startOtherWriter(database: string) {
  const command = [process.execPath, join(import.meta.dirname, 'lock-holder.ts'), database];
  const { child, ended } = await startProgram(command, /^ready$/m, { stdio: 'pipe' });
  const answers = createInterface({ input: child.stdout! });
  const send = async (order: string, answer: string): Promise<void> => {
    const printed = once(answers, 'line');
    child.stdin!.write(`${order}\n`);
    const [line] = (await printed) as [string];
    if (line !== answer) throw new Error(`The lock holder printed ${line} after ${order}`);
  };
  return {
    hold: () => send('hold', 'held'),
    free: () => send('free', 'free'),
    end: async () => {
      child.stdin!.end();
      await ended;
    },
  };
}
