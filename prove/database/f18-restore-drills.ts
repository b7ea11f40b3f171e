import { join } from 'node:path';
import { addOwner, inFolder, useStore } from '../run/book.ts';
import type { Check, Outcome } from '../run/check.ts';
import { cofferPrints } from '../run/coffer.ts';
import { inspect } from '../run/ledger.ts';
import { startServer } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { refuseDamaged, type RefusedBackups } from './damaged-backups.ts';
import { killRestores, type KilledRestores } from './killed-restores.ts';
import { startWriters, type Writers, type Writing } from './restore-writers.ts';
import { answerProblems, contentProblems, strangers } from './restored-copy.ts';

const seed = 18;
const accountCount = 2;
const flags = ['--log-level', 'silent', '--rate-limit', '1000000'];

/** Makes backups while a server, imports and commands write, restores each elsewhere, and checks the content. */
export const check: Check = {
  id: 'F18',
  rounds: { short: 1, full: 20 },
  run: (rounds) =>
    inFolder(async (folder) => {
      const held = await holdDrills(folder, rounds);
      const [first, last] = [held.drills[0], held.drills.at(-1)];
      if (first === undefined || last === undefined) throw new Error('There was no drill');
      const refused = await refuseDamaged(folder, last.backup, rounds, seed);
      const exchange = { folder, backup: last.backup, old: first.restored };
      return outcome(held, refused, await killRestores(exchange, rounds));
    }),
};

/** The drills, and what was wrong. */
interface Held {
  readonly drills: readonly Drill[];
  readonly problems: readonly string[];
}

/** A restore drill. */
interface Drill {
  readonly backup: string;
  readonly restored: string;
  readonly backupMs: number;
  readonly restoreMs: number;
  /** Batches that were acknowledged during the backup. */
  readonly batches: number;
  /** Refreshes that were acknowledged during the backup. */
  readonly refreshes: number;
  readonly found: readonly string[];
}

/** Runs drills on a database to which a server with synced accounts, imports and commands write. */
async function holdDrills(folder: string, rounds: number): Promise<Held> {
  const database = join(folder, 'coffer.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const accounts = await SyncedAccounts.make(database, owner, accountCount);
  const server = await startServer({ database, environment: accounts.environment, flags });
  try {
    const writing = { folder, database, owner, url: server.url, accounts, accountCount };
    const drills = await drillWhileWriting(writing, rounds);
    const copies = drills.map(({ restored }) => restored);
    const problems = drills.flatMap(({ found }) => found);
    return { drills, problems: [...problems, ...strangers(database, copies)] };
  } finally {
    await server.end('SIGKILL');
    await accounts.close();
  }
}

async function drillWhileWriting(writing: Writing, rounds: number): Promise<Drill[]> {
  const drills: Drill[] = [];
  const writers = startWriters(writing);
  try {
    await writers.begun;
    for (let round = 1; round <= rounds; round += 1)
      drills.push(await drill(writing, writers, round));
  } finally {
    await writers.stop();
  }
  return drills;
}

async function drill(writing: Writing, writers: Writers, round: number): Promise<Drill> {
  const { folder, database, owner, accounts } = writing;
  const backup = join(folder, `${round}.bak`);
  const restored = join(folder, `restored-${round}.db`);
  const batches = new Map(writers.acknowledged);
  const refreshes = writers.refreshes();
  const [tokens, readings] = [[...writers.tokens], new Map(writers.readings)];
  const backupMs = await timed('backup', backup, '--database', `sqlite:${database}`);
  const meanwhile = {
    batches: writers.acknowledged.size - batches.size,
    refreshes: writers.refreshes() - refreshes,
  };
  const restoreMs = await timed('restore', backup, '--database', `sqlite:${restored}`);
  const found = [
    ...contentProblems(restored, batches, writers.sent),
    ...(await answerProblems(restored, { owner, accounts, tokens, readings })),
  ].map((problem) => `drill ${round}: ${problem}`);
  return { backup, restored, backupMs, restoreMs, ...meanwhile, found };
}

/** Runs a command that must succeed, and returns the duration that it reports. */
async function timed(...args: readonly string[]): Promise<number> {
  return (JSON.parse(await cofferPrints(...args, '--json')) as { elapsed_ms: number }).elapsed_ms;
}

function outcome(
  { drills, problems: found }: Held,
  refused: RefusedBackups,
  killed: KilledRestores,
): Outcome {
  const problems = [...found, ...refused.problems, ...killed.problems];
  const sumOf = (count: (drill: Drill) => number): number =>
    drills.reduce((sum, each) => sum + count(each), 0);
  const [batches, refreshes] = [sumOf((each) => each.batches), sumOf((each) => each.refreshes)];
  if (batches === 0) problems.push('nothing was imported during the backups');
  if (refreshes === 0) problems.push('nothing was refreshed during the backups');
  const rows = inspect(drills.at(-1)!.restored).batches;
  const transactions = [...rows.values()].reduce((sum, count) => sum + count, 0);
  const slowest = (times: readonly number[]): number => Math.max(...times);
  const figure =
    `${drills.length} drills, up to ${transactions} transactions; ` +
    `slowest backup ${slowest(drills.map(({ backupMs }) => backupMs))} ms, ` +
    `restore ${slowest(drills.map(({ restoreMs }) => restoreMs))} ms; ` +
    `${refused.count} damaged backups refused; ${killed.old + killed.new} restores killed: ` +
    `${killed.old} left the old database, ${killed.new} the new one (seed ${seed})`;
  return { figure, problems };
}
