import { join } from 'node:path';
import { formatAmount } from '@coffer/core/money';
import { importEntries, openDatabase, parseDatabase } from '../packages/server/src/main.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../packages/server/src/db/testing/postgres-server.ts';
import type { ImportEntry } from '../packages/server/src/imports/entry.ts';
import { benchEntries } from './measure/book.ts';
import { startServer } from './measure/child.ts';
import { BareTable } from './imports.ts';
import { median, medianRatio } from './pages.ts';
import { durable, makeToken, settle } from './postgres/postgres.ts';
import { processorTimeMs } from './measure/processor-time.ts';
import type { Figure } from './report/figure.ts';
import { onlyBook } from './measure/walks.ts';

const rowsBefore = 20_000;
const rowsInRequest = 500;
const requests = 12;
const rounds = 7;
const kinds = ['insert', 'update', 'delete'] as const;

type Kind = (typeof kinds)[number];

/** Processor time per request of 500 transactions in milliseconds, one value for each round. */
type Samples = Record<Kind | 'bare', number[]>;

/**
 * Compares requests that insert, update and delete 500 transactions over HTTP with a bare insert of 500 rows, which is
 * one transaction with a prepared statement: see {@link BareTable}. The unit is the processor time of the server, and
 * of the database server.
 */
export async function measureWrites(folder: string): Promise<Figure[]> {
  const ofSqlite = await measure(folder, `sqlite:${join(folder, 'writes.db')}`, null);
  const perSecond = (rowsInRequest / median(ofSqlite.insert)) * 1000;
  const figures: Figure[] = [
    {
      name: 'insert over HTTP, 500 in a request',
      value: perSecond,
      unit: 'rows a CPU second',
      atLeast: 20_000,
    },
    ...figuresOf('', ofSqlite, { insert: 7, update: 9, delete: 6 }),
  ];
  if (postgresPrograms() === null || process.platform !== 'linux') return figures;
  const server = await startPostgres(durable);
  try {
    const measured = await measure(folder, await server.newDatabase(), server.process.pid ?? 0);
    return [...figures, ...figuresOf('PostgreSQL: ', measured, {})];
  } finally {
    await server.stop();
  }
}

function figuresOf(
  engine: string,
  cpuMs: Samples,
  atMost: Readonly<Partial<Record<Kind, number>>>,
): Figure[] {
  return kinds.map((kind) => ({
    name: `${engine}${kind} of 500 over HTTP against a bare insert`,
    value: medianRatio(cpuMs[kind], cpuMs.bare),
    unit: 'times',
    ...(atMost[kind] !== undefined && { atMost: atMost[kind] }),
  }));
}

async function measure(folder: string, url: string, databasePid: number | null): Promise<Samples> {
  const token = await fill(url);
  if (databasePid !== null) await settle(url);
  const server = await startServer('coffer.cjs', { BENCH_DATABASE: url });
  const bare = new BareTable(join(folder, `bare-${databasePid ?? 'sqlite'}.db`));
  const usedMs = async (): Promise<number> =>
    (await server.usage()).cpuMs + (databasePid === null ? 0 : processorTimeMs(databasePid));
  const writes = await Writes.begin(server.port, token);
  const samples: Samples = { bare: [], insert: [], update: [], delete: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const costs = { bare: bareMs(bare, writes.entries()), insert: 0, update: 0, delete: 0 };
    for (const kind of kinds) {
      const before = await usedMs();
      for (let each = 0; each < requests; each += 1) await writes.send(kind);
      costs[kind] = ((await usedMs()) - before) / requests;
    }
    // The first round warms the server up.
    if (round > 0) for (const kind of ['bare', ...kinds] as const) samples[kind].push(costs[kind]);
  }
  bare.close();
  await server.stop();
  return samples;
}

function bareMs(bare: BareTable, entries: readonly ImportEntry[]): number {
  const before = process.cpuUsage();
  for (let each = 0; each < requests; each += 1) bare.insert(entries);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / requests;
}

/** Fills a new database with a book, and returns its token. */
async function fill(url: string): Promise<string> {
  const engine = await openDatabase(parseDatabase(url));
  const token = await makeToken(engine);
  const { id } = await onlyBook(engine);
  const plan = { entries: () => benchEntries(rowsBefore), defaultAccount: null, dryRun: false };
  await importEntries(engine, id, plan);
  await engine.close();
  return token;
}

interface Row {
  readonly id: number;
  readonly category_id: number;
  readonly manual_account_id: number;
}

/** Writes over HTTP: updates and deletes what it has inserted. */
class Writes {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #entries = [...benchEntries(rowsInRequest)];
  readonly #inserted: number[][] = [];
  readonly #updated: number[][] = [];
  #known: Row | undefined;

  private constructor(port: number, token: string) {
    this.#url = `http://127.0.0.1:${port}/v2/transactions`;
    this.#headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      // What is measured is the write.
      'Accept-Encoding': 'identity',
    };
  }

  static async begin(port: number, token: string): Promise<Writes> {
    const writes = new Writes(port, token);
    [writes.#known] = await writes.#fetch('GET', '?limit=1');
    return writes;
  }

  entries(): readonly ImportEntry[] {
    return this.#entries;
  }

  async send(kind: Kind): Promise<void> {
    if (kind === 'insert') this.#inserted.push(await this.#insert());
    else if (kind === 'update') this.#updated.push(await this.#update(this.#inserted.pop() ?? []));
    else await this.#fetch('DELETE', '', { ids: this.#updated.pop() });
  }

  async #insert(): Promise<number[]> {
    const { category_id, manual_account_id } = this.#known!;
    const transactions = this.#entries.map(({ date, amount, payee, notes }) => ({
      ...{ date, amount: formatAmount(-amount), payee, notes, category_id, manual_account_id },
    }));
    return (await this.#fetch('POST', '', { transactions })).map(({ id }) => id);
  }

  async #update(ids: readonly number[]): Promise<number[]> {
    const transactions = ids.map((id, at) => ({ id, amount: at, notes: `Note ${at}` }));
    return (await this.#fetch('PUT', '', { transactions })).map(({ id }) => id);
  }

  async #fetch(method: string, query: string, body?: unknown): Promise<Row[]> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.#url + query, { method, headers: this.#headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} failed with ${response.status}: ${text}`);
    return text === '' ? [] : (JSON.parse(text) as { transactions: Row[] }).transactions;
  }
}
