/*
 * Imports real payments: `node bench/payments.ts FOLDER`, where FOLDER holds `spend/uk-public-spending.csv.gz` and
 * `berka/transactions-1993-1994q1.csv.gz`. `--engine postgres` starts and uses a PostgreSQL server. Ends with 1 on any
 * difference. The doctor must find nothing.
 *
 * Imports each file twice with the command and walks the book over HTTP with several limits. Every row must appear once
 * and in order, and the sums per account must be exact. `--ids` gives each row an id, as banks do, so that the second
 * import finds the rows by their ids.
 *
 * With `--undo` it imports the 1,545,117 payments into a book with others, undoes the import, and restores it. After
 * the undo the book must be as before the import, and after the redo as after the import, by a digest of its export.
 * Ends with 1, too, if the undo takes 60 seconds or 600 MB.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import sql from 'sql-template-tag';
import { rows as rowsOf } from '../packages/server/src/db/engine.ts';
import { openDatabase } from '../packages/server/src/database.ts';
import { parseDatabase } from '../packages/server/src/config.ts';
import { startPostgres } from '../packages/server/src/db/testing/postgres-server.ts';
import { list } from './measure/book.ts';
import { startCoffer } from './measure/child.ts';
import { coffer, type CommandRun } from './measure/command.ts';
import { durable } from './measure/engines.ts';
import { overHttp, type Send } from './measure/requests.ts';

const mostSeconds = 60;
const mostMB = 600;
const who = ['--email', 'p@example.com'];

interface DataSet {
  readonly file: string;
  readonly flags: readonly string[];
  readonly rows: number;
  /** Sums in hundredths, expenses negative, by account or of the whole book. */
  readonly sums: Readonly<Record<string, bigint>>;
}

const spending: DataSet = {
  file: 'spend/uk-public-spending.csv.gz',
  flags: [],
  rows: 1_545_117,
  sums: {
    cabinetoffice: -781_272_495_937n,
    networkrail: -2_933_125_145_269n,
    northtyneside: -1_077_841_982n,
    tfl: -1_423_301_352_528n,
    leeds: -256_080_452_443n,
  },
};
const berka: DataSet = {
  file: 'berka/transactions-1993-1994q1.csv.gz',
  flags: ['--map', 'date=date,amount=amount,direction=type,account=account_id,payee=operation'],
  rows: 49_102,
  sums: { all: 17_736_629_630n - 13_812_015_350n },
};

const { values, positionals } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    ids: { type: 'boolean', default: false },
    undo: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [source = ''] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'coffer-bench-'));
const server = values.engine === 'postgres' ? await startPostgres(durable) : null;
try {
  const newUrl = async (name: string): Promise<string> =>
    (await server?.newDatabase()) ?? `sqlite:${join(folder, `${name}.db`)}`;
  if (values.undo) await undo(await newUrl('undo'));
  else
    for (const [name, dataSet] of Object.entries({ spending, berka }))
      await prove(dataSet, await newUrl(name), folder);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Imports a file; `path` is its place when it is a changed one. */
async function load({ file, flags }: DataSet, database: readonly string[], path = '') {
  const from = path === '' ? join(source, file) : path;
  const run = await coffer('import', from, '--json', ...flags, ...who, ...database);
  const { imported, ...rest } = JSON.parse(run.stdout) as Record<string, number>;
  return { run, imported, skipped: rest['skipped_duplicates'], id: rest['import_id'] };
}

async function createUser(database: readonly string[]): Promise<void> {
  await coffer('user', 'create', '--name', 'P', '--currency', 'gbp', ...who, ...database);
}

async function prove(dataSet: DataSet, url: string, folder: string): Promise<void> {
  const database = ['--database', url];
  const { file, rows } = dataSet;
  await createUser(database);
  const path = values.ids ? withIds(join(source, file), folder) : '';
  const first = await load(dataSet, database, path);
  assert.equal(first.imported, rows);
  console.log(`${file}: ${rows} rows${values.ids ? ' with ids' : ''}`);
  console.log(`  first import: ${speed(rows, first.run)}`);
  const again = await load(dataSet, database, path);
  assert.deepEqual([again.imported, again.skipped], [0, rows]);
  console.log(`  second import: adds nothing, ${speed(rows, again.run)}`);
  const token = (await coffer('token', 'create', ...who, ...database)).stdout.trim();
  const server = await startCoffer(url);
  for (const limit of [2000, 1000, 777]) await walk(overHttp(server.port, token), limit, dataSet);
  await server.stop();
  await examine(database);
}

function withIds(path: string, folder: string): string {
  const to = join(folder, 'with-ids.csv');
  const [head = '', ...lines] = gunzipSync(readFileSync(path)).toString('latin1').split('\n');
  const named = lines.map((line, at) => (line === '' ? '' : `TX${1_000_000_001 + at},${line}`));
  writeFileSync(to, [`external_id,${head}`, ...named].join('\n'), 'latin1');
  return to;
}

function speed(rows: number, { seconds, cpuMs, peakMB }: CommandRun): string {
  const rate = Math.round(rows / seconds);
  return `${rate} rows a second, ${Math.round(cpuMs / 1000)} s of processor time, at most ${peakMB} MB`;
}

interface Row {
  readonly id: number;
  readonly date: string;
  readonly amount: string;
  readonly manual_account_id: number;
}

async function walk(send: Send, limit: number, { rows, sums: expected }: DataSet): Promise<void> {
  const startedMs = performance.now();
  const sums = new Map<number, bigint>();
  let last = { date: '9999-12-31', id: Number.MAX_SAFE_INTEGER };
  let count = 0;
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const page = JSON.parse(await send('GET', list(limit, offset))) as {
      transactions: Row[];
      has_more: boolean;
    };
    isMore = page.has_more;
    for (const row of page.transactions) {
      // Strictly descending by date and id, so no row is repeated or out of order.
      assert.ok(row.date < last.date || (row.date === last.date && row.id < last.id));
      last = row;
      count += 1;
      const pennies = BigInt(row.amount.replace('.', '')) / 100n;
      sums.set(row.manual_account_id, (sums.get(row.manual_account_id) ?? 0n) - pennies);
    }
  }
  assert.equal(count, rows);
  const all = [...sums.values()].reduce((total, sum) => total + sum, 0n);
  const found = 'all' in expected ? [all] : [...sums.values()];
  const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b));
  assert.deepEqual(found.toSorted(ascending), Object.values(expected).toSorted(ascending));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`  walk with limit ${limit}: each row once, in order, every sum exact, ${seconds} s`);
}

async function undo(url: string): Promise<void> {
  const database = ['--database', url];
  const digest = async (): Promise<string> => (await coffer('export', ...database)).digest;
  await createUser(database);
  await load(berka, database);
  const before = await digest();
  const { id, imported } = await load(spending, database);
  assert.equal(imported, spending.rows);
  const after = await digest();
  const log = await logBytes(url);
  for (const [way, then] of [
    ['undo', before],
    ['redo', after],
  ] as const) {
    const { seconds, peakMB } = await coffer('imports', way, String(id), ...database);
    assert.equal(await digest(), then, `the book after the ${way}`);
    console.log(`${way} of ${imported} rows: ${seconds.toFixed(1)} s, at most ${peakMB} MB`);
    if (way === 'undo') {
      const grown = ((await logBytes(url)) - log) / spending.rows;
      console.log(`  log: ${log} bytes before, ${grown.toFixed(0)} more for each imported row`);
    }
    await examine(database);
    assert.ok(peakMB <= mostMB, `${peakMB} MB`);
    if (values.engine !== 'postgres') assert.ok(seconds < mostSeconds, `${seconds} s`);
  }
}

async function examine(database: readonly string[]): Promise<void> {
  assert.equal((await coffer('doctor', ...database)).stdout, 'Everything agrees\n');
  console.log('  the doctor finds nothing');
}

async function logBytes(url: string): Promise<number> {
  const engine = await openDatabase(parseDatabase(url));
  const statement =
    values.engine !== 'postgres'
      ? sql`SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name LIKE 'changed_records%'`
      : sql`SELECT pg_total_relation_size('changed_records') AS bytes`;
  const [found] = await engine.read(() => rowsOf<{ bytes: number }>(statement));
  await engine.close();
  return found!.bytes;
}
