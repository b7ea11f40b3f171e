import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import type { Check } from '../run/check.ts';
import { coffer } from '../run/coffer.ts';
import { importBatches, inspect, Ledger } from '../run/ledger.ts';
import { integerFrom, randomFrom, type Random } from '../run/random.ts';
import { startServer } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { logProblems } from './change-log.ts';
import { RecordWriter } from './record-writer.ts';

const seed = 1;
const longestRestartMs = 2000;
const accountCount = 2;
/** Half of them write tags, half of them categories. */
const writerCount = 4;
const killAfterMs = { least: 50, most: 500 };
/** A database serves so many rounds; then it has grown enough. */
const roundsOfDatabase = 10;
/** More than can be taken in before the kill. */
const filesOfImport = 150;
const rowCounts = [5, 5, 5, 5, 5, 50, 50, 50, 50, 2000] as const;

/** Kills a server and an import in the middle of their writes. */
export const check: Check = {
  id: 'F1',
  promise:
    'A kill -9 in the middle of writes and imports loses nothing that was acknowledged, leaves nothing half done, and no ' +
    'record without its line in the change log; the server answers within 2 s after its restart',
  rounds: { short: 3, full: 200 },
  run: async (rounds) => {
    const random = randomFrom(seed);
    const total: Total = {
      kills: 0,
      acknowledged: 0,
      unacknowledged: 0,
      lost: 0,
      half: 0,
      slowestMs: 0,
      problems: [],
    };
    while (total.kills < rounds) {
      const left = Math.min(roundsOfDatabase, rounds - total.kills);
      await inFolder((folder) => killOften(folder, left, random, total));
    }
    const { kills, acknowledged, unacknowledged, lost, half, slowestMs, problems } = total;
    return {
      figure:
        `${kills} kills, ${acknowledged} acknowledged writes, ${unacknowledged} more stored that were under way, ` +
        `${lost} lost, ${half} in part, restart in ${Math.round(slowestMs)} ms at most (seed ${seed})`,
      problems,
    };
  },
};

/** What all rounds came to. */
interface Total {
  kills: number;
  acknowledged: number;
  unacknowledged: number;
  lost: number;
  half: number;
  slowestMs: number;
  readonly problems: string[];
}

/** Kills the processes on one database again and again; each starts from what the last left. */
async function killOften(folder: string, rounds: number, random: Random, total: Total) {
  const database = join(folder, 'coffer.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const accounts = await SyncedAccounts.make(database, owner, accountCount);
  const writers = Array.from({ length: writerCount }, (_, lane) => new RecordWriter(owner, lane));
  const ledger = new Ledger();
  for (let round = 0; round < rounds; round += 1) {
    const job = {
      folder: join(folder, `round-${round}`),
      database,
      owner,
      accounts,
      writers,
      ledger,
      random,
    };
    mkdirSync(job.folder);
    const startMs = await writeUntilKilled(job);
    if (startMs > longestRestartMs)
      total.problems.push(`start ${total.kills + 1}: answers after ${Math.round(startMs)} ms`);
    total.slowestMs = Math.max(total.slowestMs, startMs);
    rmSync(job.folder, { recursive: true });
    total.kills += 1;
    const problems = await problemsOf(job, total);
    total.problems.push(...problems.map((problem) => `kill ${total.kills}: ${problem}`));
  }
  await accounts.close();
  const recordWrites = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  total.acknowledged += ledger.acknowledged + accounts.acknowledged + recordWrites;
  total.unacknowledged += ledger.unacknowledged(inspect(database).batches);
}

interface Job {
  readonly folder: string;
  readonly database: string;
  readonly owner: Owner;
  readonly accounts: SyncedAccounts;
  readonly writers: readonly RecordWriter[];
  readonly ledger: Ledger;
  readonly random: Random;
}

/** Starts a server and an import, kills both while they write, and returns how long the server took to answer. */
async function writeUntilKilled(job: Job): Promise<number> {
  const { database, owner, random } = job;
  const startedAtMs = performance.now();
  const flags = ['--rate-limit', '1000000'];
  const server = await startServer({ database, flags, environment: job.accounts.environment });
  try {
    const { status } = await ask(`${server.url}/v2/me`, { token: owner.token });
    const startMs = performance.now() - startedAtMs;
    if (status !== 200) throw new Error(`The server answered ${status} after its start`);
    const importing = startImporting(job);
    const writing = startWriting(job, server.url);
    await importing.begun;
    await sleep(integerFrom(random, killAfterMs.least, killAfterMs.most));
    importing.kill();
    writing.noteKill();
    await Promise.all([server.end('SIGKILL'), importing.done, writing.ended]);
    return startMs;
  } finally {
    await server.end('SIGKILL');
  }
}

/** Refreshes every account and writes every record again and again, until the server is gone. */
function startWriting({ accounts, writers }: Job, url: string) {
  let isKilled = false;
  const repeat = async (write: () => Promise<number>): Promise<void> => {
    for (let status = 200; status !== 0;) {
      status = await write().catch((error: unknown) => {
        // A response that was cut by the kill acknowledges nothing.
        if (!isKilled) throw error;
        return 0;
      });
      // Beside the import a write may have to come again.
      if (![200, 201, 204, 503, 0].includes(status)) throw new Error(`A write is ${status}`);
    }
  };
  const refresh = async (index: number): Promise<number> =>
    (await accounts.refresh(url, index)).status;
  const ended = Promise.all([
    ...Array.from({ length: accountCount }, (_, index) => repeat(() => refresh(index))),
    ...writers.map((writer) => repeat(() => writer.write(url))),
  ]);
  return { noteKill: () => void (isKilled = true), ended };
}

/** Imports more files than there will be time for. */
function startImporting({ folder, database, owner, ledger, random }: Job) {
  const rowCountsOfFiles = Array.from(
    { length: filesOfImport },
    () => rowCounts[integerFrom(random, 0, rowCounts.length - 1)] ?? 1,
  );
  return importBatches(ledger, {
    folder,
    database,
    email: owner.email,
    rowCounts: rowCountsOfFiles,
  });
}

async function problemsOf(job: Job, total: Total): Promise<string[]> {
  const { database, ledger, accounts, writers } = job;
  const { faults, batches } = inspect(database);
  const files = ledger.compare(batches);
  const balances = await accounts.compare();
  const records = writers.map((writer) => writer.compare(database));
  const lost = files.lost + balances.lost + records.filter((each) => each === 'lost').length;
  const half = files.half + balances.half;
  total.lost += lost;
  total.half += half;
  total.unacknowledged += records.filter((each) => each === 'under way').length;
  const doctor = await coffer('doctor', '--database', `sqlite:${database}`);
  return [
    ...faults,
    ...logProblems(database),
    ...(lost > 0 ? [`${lost} acknowledged writes are lost`] : []),
    ...(half > 0 ? [`${half} writes are there in part`] : []),
    ...(doctor.code === 0 ? [] : [`the doctor says: ${doctor.stdout}${doctor.stderr}`]),
  ];
}
