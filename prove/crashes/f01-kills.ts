import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import { acceptedMs, type Check } from '../run/check.ts';
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
/** Half of them write tags, the other half categories. */
const writerCount = 4;
const killAfterMs = { least: 50, most: 500 };
/** After this many rounds a new database is used, so that none grows large. */
const roundsOfDatabase = 10;
/** More than can be imported before the kill. */
const filesOfImport = 150;
const rowCounts = [5, 5, 5, 5, 5, 50, 50, 50, 50, 2000] as const;

/** Kills a server and an import while they write. */
export const check: Check = {
  id: 'F1',
  rounds: { short: 2, full: 200 },
  run: async (rounds) => {
    const random = randomFrom(seed);
    const total: Total = {
      kills: 0,
      acknowledged: 0,
      unacknowledged: 0,
      lost: 0,
      half: 0,
      slowestMs: 0,
      mostMs: acceptedMs(longestRestartMs, check, rounds),
      problems: [],
    };
    while (total.kills < rounds) {
      const left = Math.min(roundsOfDatabase, rounds - total.kills);
      await inFolder((folder) => killOften(folder, left, random, total));
    }
    const { kills, acknowledged, unacknowledged, lost, half, slowestMs, problems } = total;
    return {
      figure:
        `${kills} kills, ${acknowledged} acknowledged writes, ${lost} lost, ${half} partial, ` +
        `${unacknowledged} stored without acknowledgement; slowest restart ${Math.round(slowestMs)} ms (seed ${seed})`,
      problems,
    };
  },
};

/** The totals of all rounds. */
interface Total {
  kills: number;
  acknowledged: number;
  unacknowledged: number;
  lost: number;
  half: number;
  slowestMs: number;
  /** The longest restart that is accepted. */
  readonly mostMs: number;
  readonly problems: string[];
}

/** Kills the processes on one database repeatedly; each round continues with the database of the last. */
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
    if (startMs > total.mostMs)
      total.problems.push(`start ${total.kills + 1}: responds after ${Math.round(startMs)} ms`);
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

/** Starts a server and an import, kills both while they write, and returns the time to the first response. */
async function writeUntilKilled(job: Job): Promise<number> {
  const { database, owner, random } = job;
  const startedAtMs = performance.now();
  const flags = ['--rate-limit', '1000000'];
  const server = await startServer({ database, flags, environment: job.accounts.environment });
  try {
    const { status } = await ask(`${server.url}/v2/me`, { token: owner.token });
    const startMs = performance.now() - startedAtMs;
    if (status !== 200) throw new Error(`The server returned ${status} after its start`);
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

/** Refreshes every account and writes every record repeatedly, until the server is killed. */
function startWriting({ accounts, writers }: Job, url: string) {
  let isKilled = false;
  const repeat = async (write: () => Promise<number>): Promise<void> => {
    for (let status = 200; status !== 0;) {
      status = await write().catch((error: unknown) => {
        // A response that the kill cut off acknowledges nothing.
        if (!isKilled) throw error;
        return 0;
      });
      // While the import runs, a write may get 503.
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

/** Imports more files than the round has time for. */
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
    ...(half > 0 ? [`${half} writes are partial`] : []),
    ...(doctor.code === 0 ? [] : [`the doctor reports: ${doctor.stdout}${doctor.stderr}`]),
  ];
}
