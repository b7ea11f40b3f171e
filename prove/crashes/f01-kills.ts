import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askJson } from '../../test/service/ask.ts';
import { inFolder, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, named, type Check } from '../run/check.ts';
import {
  doctorProblems,
  importBatches,
  inspect,
  Ledger,
  lossProblems,
  readFile,
  sumOfLosses,
  type Losses,
} from '../run/ledger.ts';

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
const flags = ['--rate-limit', '1000000'];

export const check: Check = {
  id: 'F1',
  rounds: { short: 2, full: 200 },
  run: async (rounds) => {
    const random = randomFrom(seed);
    const mostMs = acceptedMs(longestRestartMs, check, rounds);
    const total = { kills: 0, acknowledged: 0, slowestMs: 0, losses: sumOfLosses() };
    const problems: string[] = [];
    while (total.kills < rounds) {
      const left = Math.min(roundsOfDatabase, rounds - total.kills);
      problems.push(
        ...(await inFolder((folder) => killOften(folder, left, random, total, mostMs))),
      );
    }
    const { kills, acknowledged, slowestMs, losses } = total;
    return {
      figure:
        `${kills} kills, ${acknowledged} acknowledged writes, ${losses.lost} lost, ${losses.half} partial, ` +
        `${losses.unacknowledged} stored without acknowledgement; slowest restart ${Math.round(slowestMs)} ms (seed ${seed})`,
      problems,
    };
  },
};

interface Total {
  kills: number;
  acknowledged: number;
  slowestMs: number;
  losses: Losses;
}

/** Kills the processes on one database repeatedly; each round continues with the database of the last. */
function killOften(folder: string, rounds: number, random: Random, total: Total, mostMs: number) {
  const database = join(folder, 'coffer.db');
  return withSynced({ database, flags }, accountCount, async (synced) => {
    const { owner, accounts } = synced;
    const writers = Array.from({ length: writerCount }, (_, lane) => recordWriter(owner, lane));
    const job: Job = { folder, database, synced, writers, ledger: new Ledger(), random };
    const problems: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startMs = await writeUntilKilled(job);
      total.kills += 1;
      total.slowestMs = Math.max(total.slowestMs, startMs);
      const found = startMs > mostMs ? [`responds after ${Math.round(startMs)} ms`] : [];
      found.push(...(await problemsOf(job, total)));
      problems.push(...named(`kill ${total.kills}`, found));
    }
    const recordWrites = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    total.acknowledged += job.ledger.acknowledged.size + accounts.acknowledged + recordWrites;
    const { unacknowledged } = job.ledger.compare(inspect(database).batches);
    total.losses = sumOfLosses(total.losses, { lost: 0, half: 0, unacknowledged });
    return problems;
  });
}

interface Job {
  readonly folder: string;
  readonly database: string;
  readonly synced: Synced;
  readonly writers: readonly ReturnType<typeof recordWriter>[];
  readonly ledger: Ledger;
  readonly random: Random;
}

async function writeUntilKilled(job: Job): Promise<number> {
  const { random, synced, ledger, database } = job;
  const folder = join(job.folder, 'statements');
  const startedAtMs = performance.now();
  const startMs = await synced.serve(async (server) => {
    const { status } = await ask(`${server.url}/v2/me`, { token: synced.owner.token });
    const ms = performance.now() - startedAtMs;
    if (status !== 200) throw new Error(`The server returned ${status} after its start`);
    mkdirSync(folder);
    const batches = Array.from({ length: filesOfImport }, () =>
      ledger.send(rowCounts[integerFrom(random, 0, rowCounts.length - 1)] ?? 1),
    );
    const { email } = synced.owner;
    const importing = importBatches(ledger, { folder, database, email, batches });
    const writing = startWriting(job, server.url);
    await importing.begun;
    await sleep(integerFrom(random, killAfterMs.least, killAfterMs.most));
    importing.kill();
    writing.noteKill();
    await Promise.all([server.end('SIGKILL'), importing.done, writing.ended]);
    return ms;
  });
  rmSync(folder, { recursive: true });
  return startMs;
}

function startWriting({ synced: { accounts }, writers }: Job, url: string) {
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
  const refresh = async (index: number) => (await accounts.refresh(url, index)).status;
  const ended = Promise.all([
    ...Array.from({ length: accountCount }, (_, index) => repeat(() => refresh(index))),
    ...writers.map((writer) => repeat(() => writer.write(url))),
  ]);
  return { noteKill: () => void (isKilled = true), ended };
}

async function problemsOf({ database, ledger, synced, writers }: Job, total: Total) {
  const { faults, batches } = inspect(database);
  const records = writers.map((writer) => writer.compare(database));
  const { lost, half } = sumOfLosses(ledger.compare(batches), await synced.accounts.compare());
  const losses = {
    lost: lost + records.filter((each) => each === 'lost').length,
    half,
    unacknowledged: records.filter((each) => each === 'under way').length,
  };
  total.losses = sumOfLosses(total.losses, losses);
  return [...faults, ...lossProblems(losses), ...(await doctorProblems(database))];
}

type State = { readonly id: number; readonly name: string; readonly description: string } | null;

/** Every fifth write deletes the record; the next one creates another. */
const writesOfRecord = 5;

/**
 * A client that creates, changes and deletes one record repeatedly with POST, PUT and DELETE, and records what was
 * acknowledged and what was in flight.
 */
function recordWriter({ token }: Owner, lane: number) {
  const table = lane % 2 === 0 ? 'tags' : 'categories';
  const prefix = `Lane ${lane}, `;
  let writes = 0;
  let stored: State = null;
  let underWay: State | undefined;
  const nextState = (): State => {
    const description = `Write ${writes}`;
    if (stored === null) return { id: 0, name: `${prefix}${writes}`, description };
    return writes % writesOfRecord === 0 ? null : { ...stored, description };
  };
  const writer = {
    acknowledged: 0,
    /** Sends the next write and returns the status. Rejects without a complete response. */
    write: async (url: string): Promise<number> => {
      writes += 1;
      const before = stored;
      const next = nextState();
      underWay = next;
      const method = before === null ? 'POST' : next === null ? 'DELETE' : 'PUT';
      const target = `${url}/v2/${table}${before === null ? '' : `/${before.id}`}`;
      const { status, text } =
        next === null
          ? await ask(target, { method, token })
          : await askJson(target, method, token, { ...next, id: undefined });
      underWay = undefined;
      if (status === { POST: 201, PUT: 200, DELETE: 204 }[method]) {
        const id = before?.id ?? (JSON.parse(text) as { id: number }).id;
        stored = next === null ? null : { ...next, id };
        writer.acknowledged += 1;
      } else if (status !== 503) throw new Error(`${method} ${table} returned ${status}: ${text}`);
      return status;
    },
    /** Compares a database file with the acknowledged writes, and continues with its content. */
    compare: (path: string): 'acknowledged' | 'under way' | 'lost' => {
      const statement = `SELECT id, name, description FROM ${table} WHERE name LIKE ? || '%'`;
      const found = readFile(path, (database) =>
        database.prepare<[string], NonNullable<State>>(statement).all(prefix),
      );
      const [expected, sent] = [stored, underWay];
      underWay = undefined;
      stored = found[0] ?? null;
      if (found.length > 1) return 'lost';
      if (isSame(stored, expected)) return 'acknowledged';
      return sent !== undefined && isSame(stored, sent) ? 'under way' : 'lost';
    },
  };
  return writer;
}

function isSame(found: State, expected: State): boolean {
  return found?.name === expected?.name && found?.description === expected?.description;
}
