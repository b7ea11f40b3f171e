import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ask, newAddress } from './ask.ts';
import { batchOf } from './batches.ts';
import type { Check, Outcome } from './check.ts';
import { coffer, cofferPrints } from './coffer-command.ts';
import { damagedBackups, isSame } from './damaged-backups.ts';
import { inspect } from './database-file.ts';
import { killRestores, type KilledRestores } from './killed-restores.ts';
import { randomFrom } from './random.ts';
import { startWriters, type Writers } from './restore-writers.ts';
import { startServer } from './server-process.ts';
import { withServer } from './with-server.ts';

const seed = 18;

/** Takes backups while a server and imports write, restores each elsewhere, and looks at what is there. */
export const check: Check = {
  id: 'F18',
  promise:
    'A backup taken under write load and restored has everything that was acknowledged before it, nothing half, ' +
    'the same ids and sums, and tokens that work; a damaged one is refused and changes nothing; a restore that is killed leaves the old database or the new one',
  rounds: { short: 2, full: 20 },
  run: (rounds) =>
    withServer({}, async ({ folder, owner }) => {
      const database = join(folder, 'coffer.db');
      const writers = startWriters(folder, database, owner);
      const drills: Drill[] = [];
      try {
        await writers.begun;
        for (let round = 1; round <= rounds; round += 1) {
          drills.push(await drill({ folder, database, writers }, round));
        }
      } finally {
        await writers.stop();
      }
      const problems = drills.flatMap(({ found }) => found);
      problems.push(...strangers(database, folder, drills));
      const last = drills.at(-1);
      if (last === undefined) throw new Error('There was no drill');
      problems.push(...(await refusals(folder, last.backup, rounds)));
      const exchange = { folder, backup: last.backup, old: drills[0]!.restored };
      const killed = await killRestores(exchange, rounds);
      return outcome(drills, killed, problems);
    }),
};

/** What a drill works on. */
interface Place {
  readonly folder: string;
  readonly database: string;
  readonly writers: Writers;
}

/** A drill that was held. */
interface Drill {
  readonly backup: string;
  readonly restored: string;
  readonly backupMs: number;
  readonly restoreMs: number;
  /** Batches that were acknowledged while the backup was taken. */
  readonly meanwhile: number;
  readonly found: readonly string[];
}

async function drill({ folder, database, writers }: Place, round: number): Promise<Drill> {
  const backup = join(folder, `${round}.bak`);
  const restored = join(folder, `restored-${round}.db`);
  const acknowledged = new Map(writers.acknowledged);
  const tokens = [...writers.tokens];
  const backupMs = await timed('backup', backup, '--database', `sqlite:${database}`);
  const meanwhile = writers.acknowledged.size - acknowledged.size;
  const restoreMs = await timed('restore', backup, '--database', `sqlite:${restored}`);
  const found = [
    ...contentProblems(restored, acknowledged, writers.sent),
    ...(await tokenProblems(restored, tokens)),
  ].map((problem) => `drill ${round}: ${problem}`);
  return { backup, restored, backupMs, restoreMs, meanwhile, found };
}

/** Runs a command that ends well, and returns how long the work itself took by its own account. */
async function timed(...args: readonly string[]): Promise<number> {
  return (JSON.parse(await cofferPrints(...args, '--json')) as { elapsed_ms: number }).elapsed_ms;
}

/** The file is sound; every batch is whole, comes to its sum, and is there if it was acknowledged before. */
function contentProblems(
  path: string,
  acknowledged: ReadonlyMap<number, number>,
  sent: ReadonlyMap<number, number>,
): string[] {
  const { faults, batches } = inspect(path);
  const sums = sumsOf(path);
  const lost = [...acknowledged.keys()].filter((batch) => !batches.has(batch));
  const half = [...batches].filter(([batch, rows]) => rows !== sent.get(batch));
  const wrong = [...batches].filter(
    ([batch, rows]) => sums.get(batch) !== (rows * (rows + 1) * 10_000) / 2,
  );
  return [
    ...faults,
    ...(lost.length > 0 ? [`${lost.length} acknowledged batches are not there`] : []),
    ...(half.length > 0 ? [`${half.length} batches are there in part`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} batches come to another sum`] : []),
  ];
}

/** What each batch comes to, in ten-thousandths; money out is positive. */
function sumsOf(path: string): Map<number, number> {
  const sums = query<{ payee: string; sum: number }>(
    path,
    'SELECT payee, sum(amount) AS sum FROM transactions GROUP BY payee',
  );
  return new Map(sums.map(({ payee, sum }) => [batchOf(payee) ?? 0, sum]));
}

/** A server over the restored file knows every token that was made before. */
async function tokenProblems(database: string, tokens: readonly string[]): Promise<string[]> {
  const server = await startServer({ database, flags: ['--log-level', 'silent'] });
  try {
    const asked = tokens.map((token) => ask(`${server.url}/v2/me`, { token, from: newAddress() }));
    const refused = (await Promise.all(asked)).filter(({ status }) => status !== 200);
    return refused.length > 0 ? [`${refused.length} of ${tokens.length} tokens do not work`] : [];
  } finally {
    await server.end('SIGTERM');
  }
}

/** Rows are only ever added, so each row of each restored database must be in the one that was written to. */
function strangers(database: string, folder: string, drills: readonly Drill[]): string[] {
  const columns = 'id, book_id, date, amount, to_base, payee, manual_account_id, created_at';
  const rowsOf = (path: string): string[] =>
    query<unknown>(path, `SELECT ${columns} FROM transactions`).map((row) => JSON.stringify(row));
  const all = new Set(rowsOf(database));
  return drills.flatMap(({ restored }) => {
    const unknown = rowsOf(restored).filter((row) => !all.has(row));
    const name = restored.slice(folder.length + 1);
    return unknown.length > 0 ? [`${name} has ${unknown.length} rows that never were`] : [];
  });
}

/** Damaged backups are refused by a clear message, and what is there stays. */
async function refusals(folder: string, backup: string, count: number): Promise<string[]> {
  const sound = readFileSync(backup);
  const file = join(folder, 'damaged.bak');
  const target = join(folder, 'target.db');
  await cofferPrints('restore', backup, '--database', `sqlite:${target}`);
  const before = readFileSync(target);
  const problems: string[] = [];
  for (const { what, message, write } of damagedBackups(count, randomFrom(seed))) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    writeFileSync(file, '');
    write(file, sound);
    const said = await coffer('restore', file, '--replace', '--database', `sqlite:${target}`);
    if (said.code !== 1 || !message.test(said.stderr) || said.stdout !== '')
      problems.push(`${what}: ended with ${said.code} and said ${said.stderr}${said.stdout}`);
    if (!isSame(target, before)) problems.push(`${what}: the target was changed`);
  }
  return problems;
}

function outcome(drills: readonly Drill[], killed: KilledRestores, found: string[]): Outcome {
  const problems = [...found, ...killed.problems];
  const meanwhile = drills.reduce((sum, drill) => sum + drill.meanwhile, 0);
  if (meanwhile === 0) problems.push('nothing was written while backups were taken');
  const rows = inspect(drills.at(-1)!.restored).batches;
  const transactions = [...rows.values()].reduce((sum, count) => sum + count, 0);
  const slowest = (times: readonly number[]): number => Math.max(...times);
  const figure =
    `${drills.length} drills up to ${transactions} transactions, ${meanwhile} batches written meanwhile, ` +
    `backup in ${slowest(drills.map(({ backupMs }) => backupMs))} ms at most, ` +
    `restore in ${slowest(drills.map(({ restoreMs }) => restoreMs))} ms; ` +
    `${drills.length} damaged backups refused, ${killed.old + killed.new} restores killed: ` +
    `${killed.old} times the old database, ${killed.new} times the new one (seed ${seed})`;
  return { figure, problems };
}

function query<T>(path: string, statement: string): T[] {
  const database = new Database(path, { fileMustExist: true });
  try {
    return database.prepare<[], T>(statement).all();
  } finally {
    database.close();
  }
}
