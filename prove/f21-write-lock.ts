import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './ask.ts';
import { addOwner, inFolder, useStore } from './book.ts';
import type { Check } from './check.ts';
import { startOtherWriter, type OtherWriter } from './other-writer.ts';
import { p99Of, readSteadily } from './paced-reads.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { SyncedAccounts } from './synced-accounts.ts';
import { WriteAnswers } from './write-answers.ts';

/** The short one runs beside other tests, so it only tells a server that waits from one that stands still. */
const slowestReadMs = { short: 1000, full: 100 };
/** Also the short one is longer than a write waits, so that some are refused. */
const heldMs = { short: 2500, full: 3000 };
const aloneMs = 1000;
const writers = 8;
const writerPauseMs = 50;
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories'];

/** Another process holds the write lock, for longer than any request waits. */
export const check: Check = {
  id: 'F21',
  promise:
    'While another process holds the write lock, 99 of 100 reads are answered within 100 ms, and each write is stored or ' +
    'refused with 503 and Retry-After',
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
        const form = rounds < check.rounds.full ? 'short' : 'full';
        const holdMs = heldMs[form];
        const { worst, reads, answers, problems } = await holdOften(lock, rounds, form);
        await server.end('SIGTERM');
        const { lost, half, unacknowledged } = await accounts.compare();
        const wrong = lost + half + unacknowledged;
        if (wrong > 0) problems.push(`${wrong} accounts are not as was acknowledged`);
        const figure =
          `${rounds} times ${holdMs / 1000} s: p99 of ${reads} reads ${worst.heldMs.toFixed(1)} ms at worst ` +
          `(${worst.aloneMs.toFixed(1)} ms just before), ` +
          `${answers.stored} writes stored, ${answers.refused} refused with 503`;
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

async function holdOften(
  { server, other, accounts, token }: Lock,
  rounds: number,
  form: 'short' | 'full',
) {
  const answers = new WriteAnswers();
  const problems: string[] = [];
  let worst = { heldMs: 0, aloneMs: 0 };
  let reads = 0;
  const writeUntil = (end: Promise<unknown>, to = new WriteAnswers()): Promise<unknown> => {
    const lanes = Array.from({ length: writers }, (_, index) => index);
    const write = (index: number): Promise<Answer> => accounts.refresh(server.url, index);
    return Promise.all(lanes.map((index) => repeatUntil(end, () => write(index), to)));
  };
  // What is loaded at first use is no matter of locks.
  for (let index = 0; index < writers; index += 1) await accounts.refresh(server.url, index);
  for (let round = 1; round <= rounds; round += 1) {
    const free = sleep(aloneMs);
    const writingFreely = writeUntil(free);
    const alone = await readSteadily(server.url, token, paths, free);
    await writingFreely;
    const aloneP99Ms = p99Of(alone.timesMs);
    // On a machine that is busy with other things as well, even writes that nobody hinders take theirs.
    const allowedMs = Math.max(slowestReadMs[form], 2 * aloneP99Ms);
    await other.hold();
    const held = sleep(heldMs[form]);
    const writing = writeUntil(held, answers);
    const { timesMs, failures } = await readSteadily(server.url, token, paths, held);
    await other.free();
    await writing;
    const p99Ms = p99Of(timesMs);
    if (p99Ms > worst.heldMs) worst = { heldMs: p99Ms, aloneMs: aloneP99Ms };
    reads += timesMs.length;
    if (!(p99Ms <= allowedMs))
      problems.push(`hold ${round}: p99 of reads is ${p99Ms} ms, ${aloneP99Ms} ms just before`);
    problems.push(...failures.map((failure) => `hold ${round}: ${failure}`));
    const after = await accounts.refresh(server.url, round % writers);
    if (after.status !== 200) problems.push(`hold ${round}: then a write is ${after.status}`);
  }
  problems.push(...answers.problems);
  if (answers.stored === 0) problems.push('no write that waited was let in');
  if (answers.refused === 0) problems.push('no write was refused, so the lock was not held');
  return { worst, reads, answers, problems };
}

/** Writes one after another until `end` has resolved; what was begun by then is waited for. */
async function repeatUntil(
  end: Promise<unknown>,
  write: () => Promise<Answer>,
  answers: WriteAnswers,
): Promise<void> {
  const time = { isOver: false };
  void end.then(() => (time.isOver = true));
  while (!time.isOver) {
    answers.add(await write());
    await sleep(writerPauseMs);
  }
}
