/*
 * Imports 1,545,117 real payments into a book with others, undoes the import, and restores it:
 * `node bench/undo-import.ts FOLDER`, where FOLDER holds the files of bench/payments.ts. `--engine postgres` starts and
 * uses a PostgreSQL server.
 *
 * After the undo the book must be as before the import, and after the redo as after the import, by a digest of its
 * export. The doctor must find nothing. Ends with 1 on any difference, or if the undo takes 60 seconds or 600 MB.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sql from 'sql-template-tag';
import { rows } from '../packages/server/src/db/engine.ts';
import { openDatabase, parseDatabase } from '../packages/server/src/main.ts';
import { coffer, type CommandRun } from './measure/command.ts';
import { withDatabase } from './measure/engines.ts';

const payments = 1_545_117;
const others = '--map=date=date,amount=amount,direction=type,account=account_id,payee=operation';
const mostSeconds = 60;
const mostMB = 600;

const { values, positionals } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' } },
  allowPositionals: true,
});
const [source = ''] = positionals;
await withDatabase(values.engine, async (_folder, newUrl) => measure(await newUrl()));

async function measure(url: string): Promise<void> {
  const database = ['--database', url];
  const load = (file: string, ...flags: string[]): Promise<CommandRun> =>
    coffer('import', join(source, file), '--json', ...flags, ...database);
  const digest = async (): Promise<string> => (await coffer('export', ...database)).digest;
  await coffer('user', 'create', '--name', 'P', '--email', 'p@example.com', ...database);
  await load('berka/transactions-1993-1994q1.csv.gz', others);
  const before = await digest();
  const { stdout } = await load('spend/uk-public-spending.csv.gz');
  const { import_id: id, imported } = JSON.parse(stdout) as Record<string, number>;
  assert.equal(imported, payments);
  const after = await digest();
  const log = await logBytes(url);
  const undone = await coffer('imports', 'undo', String(id), ...database);
  assert.equal(await digest(), before, 'the book is as before the import');
  print('undo', undone);
  const grown = ((await logBytes(url)) - log) / payments;
  console.log(`  log: ${log} bytes before, ${grown.toFixed(0)} bytes more for each imported row`);
  await examine(database);
  const redone = await coffer('imports', 'redo', String(id), ...database);
  assert.equal(await digest(), after, 'the book is as after the import');
  print('redo', redone);
  await examine(database);
  for (const { seconds, peakMB } of [undone, redone]) {
    assert.ok(peakMB <= mostMB, `${peakMB} MB`);
    if (values.engine !== 'postgres') assert.ok(seconds < mostSeconds, `${seconds} s`);
  }
}

function print(what: string, { seconds, peakMB }: CommandRun): void {
  console.log(`${what} of ${payments} rows: ${seconds.toFixed(1)} s, at most ${peakMB} MB`);
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
  const [found] = await engine.read(() => rows<{ bytes: number }>(statement));
  await engine.close();
  return found!.bytes;
}
