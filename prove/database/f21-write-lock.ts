import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../run/ask.ts';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import { acceptedMs, type Check } from '../run/check.ts';
import { readSteadily } from '../run/paced-reads.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { DatabaseResponses } from '../run/database-responses.ts';

const slowestReadMs = 100;
/** Longer than a write waits, in the short form too, so that some writes are refused. */
const heldMs = { short: 2500, full: 3000 };
const aloneMs = 1000;
const writers = 8;
const writerPauseMs = 50;
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories'];

/** Another process holds the write lock for longer than any request waits. */
export const check: Check = {
  id: 'F21',
  rounds: { short: 1, full: 50 },
  run: (rounds) =>
    inFolder(async (folder) => {
      const database = join(folder, 'coffer.db');
      const owner = await useStore(database, (store) => addOwner(store, 'owner'));
      const accounts = await SyncedAccounts.make(database, owner, writers);
      const flags = ['--rate-limit', '1000000'];
      const server = await startServer({ database, flags, environment: accounts.environment });
      const other = startOtherWriter(database);
      try {
        const lock = { server, other, accounts, token: owner.token };
        const holdMs = rounds < check.rounds.full ? heldMs.short : heldMs.full;
        const { worst, reads, answers, problems } = await holdOften(lock, rounds, holdMs);
        await server.end('SIGTERM');
        const { lost, half, unacknowledged } = await accounts.compare();
        const wrong = lost + half + unacknowledged;
        if (wrong > 0) problems.push(`${wrong} accounts differ from the acknowledged state`);
        const figure =
          `${rounds} times ${holdMs / 1000} s: worst p99 of ${reads} reads ${worst.heldMs.toFixed(1)} ms ` +
          `(${worst.aloneMs.toFixed(1)} ms without the lock), ` +
          `${answers.succeeded} writes stored, ${answers.refused} got 503`;
        return { figure, problems };
      } finally {
        await server.end('SIGKILL');
        await other.end();
        await accounts.close();
      }
    }),
};

interface Lock {
  readonly server: ServerProcess;
  readonly other: OtherWriter;
  readonly accounts: SyncedAccounts;
  readonly token: string;
}

async function holdOften({ server, other, accounts, token }: Lock, rounds: number, holdMs: number) {
  const answers = new DatabaseResponses();
  const problems: string[] = [];
  let worst = { heldMs: 0, aloneMs: 0 };
  let reads = 0;
  const writeUntil = (end: Promise<unknown>, to = new DatabaseResponses()): Promise<unknown> => {
    const lanes = Array.from({ length: writers }, (_, index) => index);
    const write = (index: number): Promise<Answer> => accounts.refresh(server.url, index);
    return Promise.all(lanes.map((index) => repeatUntil(end, () => write(index), to)));
  };
  // First use loads code, which has nothing to do with locks.
  for (let index = 0; index < writers; index += 1) await accounts.refresh(server.url, index);
  for (let round = 1; round <= rounds; round += 1) {
    const free = sleep(aloneMs);
    const writingFreely = writeUntil(free);
    const alone = await readSteadily(server.url, token, paths, free);
    await writingFreely;
    const aloneP99Ms = alone.p99Ms;
    // On a busy machine reads are slow even without the lock.
    const allowedMs = Math.max(acceptedMs(slowestReadMs, check, rounds), 2 * aloneP99Ms);
    await other.hold();
    const held = sleep(holdMs);
    const writing = writeUntil(held, answers);
    const { count, p99Ms, failures } = await readSteadily(server.url, token, paths, held);
    await other.free();
    await writing;
    if (p99Ms > worst.heldMs) worst = { heldMs: p99Ms, aloneMs: aloneP99Ms };
    reads += count;
    if (!(p99Ms <= allowedMs))
      problems.push(`hold ${round}: p99 of reads is ${p99Ms} ms, ${aloneP99Ms} ms just before`);
    problems.push(...failures.map((failure) => `hold ${round}: ${failure}`));
    const after = await accounts.refresh(server.url, round % writers);
    if (after.status !== 200) problems.push(`hold ${round}: the next write gets ${after.status}`);
  }
  problems.push(...answers.problems);
  if (answers.succeeded === 0) problems.push('no waiting write was stored');
  if (answers.refused === 0) problems.push('no write was refused, so the lock was not held');
  return { worst, reads, answers, problems };
}

/** Sends one write after another until `end` has resolved, and waits for the last one. */
async function repeatUntil(
  end: Promise<unknown>,
  write: () => Promise<Answer>,
  answers: DatabaseResponses,
): Promise<void> {
  const time = { isOver: false };
  void end.then(() => (time.isOver = true));
  while (!time.isOver) {
    answers.add(await write());
    await sleep(writerPauseMs);
  }
}

/** A process that takes the write lock of a database on request. */
interface OtherWriter {
  /** Resolves when the lock is held. */
  hold(): Promise<void>;
  /** Resolves when the lock is free. */
  free(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a process that can hold the write lock of `database`. */
function startOtherWriter(database: string): OtherWriter {
  const program = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));
  const child = spawn(process.execPath, [program, database], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = async (order: string, answer: string): Promise<void> => {
    child.stdin.write(`${order}\n`);
    const { value } = await answers.next();
    if (value !== answer)
      throw new Error(`The lock holder printed ${String(value)} after ${order}`);
  };
  return {
    hold: () => send('hold', 'held'),
    free: () => send('free', 'free'),
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
