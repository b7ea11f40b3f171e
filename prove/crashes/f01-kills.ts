import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { ask, askJson } from '../../test/service/ask.ts';
import { inFolder, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { acceptedMs, named, counted, type Check } from '../run/check.ts';
import {
  doctorProblems,
  importBatches,
  inspect,
  Ledger,
  lossProblems,
  sumOfLosses,
  readFile,
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
  losses: ReturnType<typeof sumOfLosses>;
}

/** Kills the processes on one database repeatedly; each round continues with the database of the last. */
function killOften(folder: string, rounds: number, random: Random, total: Total, mostMs: number) {
  const database = join(folder, 'coffer.db');
  return withSynced({ database, flags }, accountCount, async (synced) => {
    const { owner, accounts } = synced;
    const writers = Array.from({ length: writerCount }, (_, lane) => new RecordWriter(owner, lane));
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
  readonly writers: readonly RecordWriter[];
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
  const refresh = async (index: number): Promise<number> =>
    (await accounts.refresh(url, index)).status;
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
  return [
    ...faults,
    ...logProblems(database),
    ...lossProblems(losses),
    ...(await doctorProblems(database)),
  ];
}

type State = { readonly id: number; readonly name: string; readonly description: string } | null;

/** Every fifth write deletes the record; the next one creates another. */
const writesOfRecord = 5;

/**
 * A client that creates, changes and deletes one record repeatedly with POST, PUT and DELETE, and records what was
 * acknowledged and what was in flight.
 */
class RecordWriter {
  readonly #token: string;
  readonly #table: 'tags' | 'categories';
  readonly #prefix: string;
  #writes = 0;
  #stored: State = null;
  #underWay: State | undefined;
  acknowledged = 0;

  constructor({ token }: Owner, lane: number) {
    this.#token = token;
    this.#table = lane % 2 === 0 ? 'tags' : 'categories';
    this.#prefix = `Lane ${lane}, `;
  }

  /** Sends the next write and returns the status. Rejects without a complete response. */
  async write(url: string): Promise<number> {
    this.#writes += 1;
    const before = this.#stored;
    const next = this.#nextState();
    this.#underWay = next;
    const method = before === null ? 'POST' : next === null ? 'DELETE' : 'PUT';
    const target = `${url}/v2/${this.#table}${before === null ? '' : `/${before.id}`}`;
    const { status, text } =
      next === null
        ? await ask(target, { method, token: this.#token })
        : await askJson(target, method, this.#token, { ...next, id: undefined });
    this.#underWay = undefined;
    if (status === { POST: 201, PUT: 200, DELETE: 204 }[method]) {
      const id = before?.id ?? (JSON.parse(text) as { id: number }).id;
      this.#stored = next === null ? null : { ...next, id };
      this.acknowledged += 1;
    } else if (status !== 503)
      throw new Error(`${method} ${this.#table} returned ${status}: ${text}`);
    return status;
  }

  #nextState(): State {
    const description = `Write ${this.#writes}`;
    if (this.#stored === null)
      return { id: 0, name: `${this.#prefix}${this.#writes}`, description };
    return this.#writes % writesOfRecord === 0 ? null : { ...this.#stored, description };
  }

  /** Compares a database file with the acknowledged writes, and continues with its content. */
  compare(path: string): 'acknowledged' | 'under way' | 'lost' {
    const statement = `SELECT id, name, description FROM ${this.#table} WHERE name LIKE ? || '%'`;
    const found = readFile(path, (database) =>
      database.prepare<[string], NonNullable<State>>(statement).all(this.#prefix),
    );
    const [stored, underWay] = [this.#stored, this.#underWay];
    this.#underWay = undefined;
    this.#stored = found[0] ?? null;
    if (found.length > 1) return 'lost';
    if (isSame(this.#stored, stored)) return 'acknowledged';
    return underWay !== undefined && isSame(this.#stored, underWay) ? 'under way' : 'lost';
  }
}

function isSame(found: State, expected: State): boolean {
  return found?.name === expected?.name && found?.description === expected?.description;
}

interface Line {
  readonly book_id: number;
  readonly record: string;
  readonly first_id: number;
  readonly last_id: number;
  readonly kind: 'made' | 'changed' | 'removed';
  readonly diff: string | null;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

const tables = ['tags', 'categories', 'manual_accounts', 'crypto_synced_accounts', 'transactions'];

/** Compares the records of a database with its change log. */
function logProblems(path: string): string[] {
  return readFile(path, (database) => [
    ...versionProblems(database),
    ...tables.flatMap((table) => rowProblems(database, table)),
  ]);
}

function versionProblems(database: Database.Database): string[] {
  const count = (query: string): number => database.prepare<[], number>(query).pluck().get() ?? 0;
  const found = {
    'books are not at the version of their last change': count(`
      SELECT count(*) FROM books b WHERE (b.version, b.changed_at) <>
        (SELECT max(version), max(at) FROM changes c WHERE c.book_id = b.id)`),
    'versions do not follow a version with an earlier time': count(`
      SELECT count(*) FROM changes c WHERE version > (SELECT min(version) FROM changes WHERE book_id = c.book_id)
        AND NOT EXISTS (SELECT 1 FROM changes b
          WHERE b.book_id = c.book_id AND b.version = c.version - 1 AND b.at < c.at)`),
    'versions have no lines': count(`SELECT count(*) FROM changes c WHERE NOT EXISTS
      (SELECT 1 FROM changed_records r WHERE r.book_id = c.book_id AND r.version = c.version)`),
    'lines have no version': count(`SELECT count(*) FROM changed_records r WHERE NOT EXISTS
      (SELECT 1 FROM changes c WHERE c.book_id = r.book_id AND c.version = r.version)`),
  };
  return Object.entries(found).flatMap(([what, many]) => counted(many, what));
}

function rowProblems(database: Database.Database, table: string): string[] {
  const lines = database
    .prepare<[string], Line>(
      'SELECT * FROM changed_records WHERE record = ? ORDER BY book_id, version, place',
    )
    .all(table);
  const logged = new Map<string, Record<string, unknown>>();
  for (const { book_id, first_id, last_id, kind, diff } of lines)
    for (let id = first_id; id <= last_id; id += 1) {
      const key = `${book_id}/${id}`;
      if (kind === 'removed') logged.delete(key);
      else if (kind === 'made') logged.set(key, {});
      else Object.assign(logged.get(key) ?? {}, afterOf(diff));
    }
  const rows = database.prepare<[], Row & { book_id: number }>(`SELECT * FROM ${table}`).all();
  const present = new Map(rows.map((row) => [`${row.book_id}/${row.id}`, row]));
  const unlogged = [...present.keys()].filter((key) => !logged.has(key));
  const lost = [...logged.keys()].filter((key) => !present.has(key));
  const other = [...logged].filter(([key, values]) =>
    Object.entries(values).some(([name, value]) => !isLogged(present.get(key)?.[name], value)),
  );
  return [
    ...counted(unlogged.length, `rows of ${table} are not in the log`),
    ...counted(lost.length, `rows of ${table} are only in the log`),
    ...counted(other.length, `rows of ${table} differ from the log`),
  ];
}

/** Returns the values after a change, from a line `{column: [before, after]}`. */
function afterOf(diff: string | null): Record<string, unknown> {
  const pairs = Object.entries(JSON.parse(diff ?? '{}') as Record<string, [unknown, unknown]>);
  return Object.fromEntries(pairs.map(([name, [, after]]) => [name, after]));
}

/** SQLite stores a boolean as a number. */
function isLogged(stored: unknown, logged: unknown): boolean {
  return stored === (typeof logged === 'boolean' ? Number(logged) : logged);
}
