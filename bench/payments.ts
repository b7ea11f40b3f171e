/*
 * Imports and lists real payments: `node bench/payments.ts FOLDER`, where FOLDER holds
 * `spend/uk-public-spending.csv.gz` and `berka/transactions-1993-1994q1.csv.gz`. `--engine postgres` starts and uses a
 * PostgreSQL server. `--ids` gives each row an id, as banks do, so that the second import finds the rows by their ids.
 *
 * Imports each file twice with the command and walks the book over HTTP with several limits. Every row must appear once
 * and in order, and the sums per account must be exact. Ends with 1 on any difference.
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startCoffer } from './measure/child.ts';
import { coffer, type CommandRun } from './measure/command.ts';
import { withDatabase } from './measure/engines.ts';

const linesOfBlock = 10_000;
const who = ['--email', 'p@example.com'];

interface DataSet {
  readonly file: string;
  readonly flags: readonly string[];
  readonly rows: number;
  /** Sums in hundredths, expenses negative, by account or of the whole book. */
  readonly sums: Readonly<Record<string, bigint>>;
}

const dataSets: readonly DataSet[] = [
  {
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
  },
  {
    file: 'berka/transactions-1993-1994q1.csv.gz',
    flags: ['--map', 'date=date,amount=amount,direction=type,account=account_id,payee=operation'],
    rows: 49_102,
    sums: { all: 17_736_629_630n - 13_812_015_350n },
  },
];

const { values, positionals } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    ids: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [source = ''] = positionals;
await withDatabase(values.engine, async (folder, newUrl) => {
  for (const dataSet of dataSets) await prove(dataSet, await newUrl(), folder);
});

async function prove({ file, flags, rows, sums }: DataSet, url: string, folder: string) {
  const database = ['--database', url];
  await coffer('user', 'create', '--name', 'P', '--currency', 'gbp', ...who, ...database);
  const path = values.ids ? withIds(join(source, file), folder) : join(source, file);
  const load = ['import', path, '--json', ...flags, ...who, ...database];
  const first = await coffer(...load);
  const { imported } = JSON.parse(first.stdout) as { imported: number };
  assert.equal(imported, rows);
  console.log(`${file}: ${rows} rows${values.ids ? ' with ids' : ''}`);
  console.log(`  first import: ${speed(rows, first)}`);
  const again = await coffer(...load);
  const second = JSON.parse(again.stdout) as { imported: number; skipped_duplicates: number };
  assert.deepEqual([second.imported, second.skipped_duplicates], [0, rows]);
  console.log(`  second import: adds nothing, ${speed(rows, again)}`);
  const token = (await coffer('token', 'create', ...who, ...database)).stdout.trim();
  const server = await startCoffer(url);
  for (const limit of [2000, 1000, 777]) await walk(server.port, token, limit, rows, sums);
  await server.stop();
  assert.equal((await coffer('doctor', ...database)).stdout, 'Everything agrees\n');
  console.log('  the doctor finds nothing');
}

function withIds(path: string, folder: string): string {
  const to = join(folder, 'with-ids.csv');
  const lines = gunzipSync(readFileSync(path)).toString('latin1').trimEnd().split('\n');
  const out = openSync(to, 'w');
  for (let at = 0; at < lines.length; at += linesOfBlock) {
    const block = lines.slice(at, at + linesOfBlock).map((line, index) => {
      return at + index === 0 ? `external_id,${line}` : `TX${1_000_000_000 + at + index},${line}`;
    });
    writeSync(out, `${block.join('\n')}\n`, null, 'latin1');
  }
  closeSync(out);
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

async function walk(
  port: number,
  token: string,
  limit: number,
  rows: number,
  expected: Readonly<Record<string, bigint>>,
): Promise<void> {
  const startedMs = performance.now();
  const sums = new Map<number, bigint>();
  let last = { date: '9999-12-31', id: Number.MAX_SAFE_INTEGER };
  let count = 0;
  let isMore = true;
  for (let offset = 0; isMore; offset += limit) {
    const page = await readPage(port, token, limit, offset);
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
  assert.deepEqual(found.toSorted(ascending), Object.values(expected).toSorted(ascending));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`  walk with limit ${limit}: each row once, in order, every sum exact, ${seconds} s`);
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

async function readPage(port: number, token: string, limit: number, offset: number) {
  const url = `http://127.0.0.1:${port}/v2/transactions?limit=${limit}&offset=${offset}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  return (await answer.json()) as { transactions: Row[]; has_more: boolean };
}
