import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { schemaVersion } from '../../packages/server/src/db/migrations/index.ts';
import {
  oldSchemas,
  unpackOldSchema,
  type OldSchema,
} from '../../packages/server/src/db/testing/old-schemas.ts';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { checkDatabase, type Engine } from '../../packages/server/src/main.ts';
import { checkSeal } from '../../packages/server/src/maintenance/backup.ts';
import { listTransactions } from '../../packages/server/src/pages/pages.ts';
import { RememberedKeys } from '../../packages/server/src/pages/remembered-keys.ts';
import { coffer } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore } from '../../test/service/owners.ts';
import { startServer } from '../../test/service/server-process.ts';
import { joined, named, timed, type Check, type Outcome } from '../run/check.ts';
import { readFile } from '../run/ledger.ts';
import {
  differences,
  digest,
  killOften,
  onCopy,
  type Columns,
  type DatabaseDigest,
} from './killed-commands.ts';

const rowsOfForm = { short: 1500, full: 100_000 };

export const check: Check = {
  id: 'F19',
  rounds: { short: 3, full: 30 },
  run: async (kills) => {
    const older = oldSchemas.filter(({ version }) => version < schemaVersion);
    const runs: Outcome[] = [];
    for (const old of older) runs.push(await inFolder((folder) => killAll(folder, old, kills)));
    const { figure, problems } = joined(runs);
    const from = older.map(({ version }) => version).join(', ') || 'none';
    const newer = await inFolder(refuseNewer);
    return {
      figure: `from schema ${from} to ${schemaVersion}; ${figure}`,
      problems: [...problems, ...newer],
    };
  },
};

interface Original {
  readonly file: string;
  readonly columns: Columns;
  readonly digest: DatabaseDigest;
}

async function killAll(folder: string, old: OldSchema, kills: number): Promise<Outcome> {
  const isFull = kills >= check.rounds.full;
  const file = join(folder, 'original.db');
  unpackOldSchema(old, file);
  growDatabase(file, isFull ? rowsOfForm.full : rowsOfForm.short);
  const columns = columnsOf(file);
  const original: Original = { file, columns, digest: digest(file, columns) };
  const problems: string[] = [];
  const wholeMs = await onCopy(folder, file, (copy) => migrateOnce(original, copy, problems));
  problems.push(...(await onCopy(folder, file, serverProblems)));
  const moments = { before: 0, within: 0, after: 0 };
  // Longer than a complete migration, so that some kills come too late.
  const command = { name: 'a migration', folder, before: file, args: reading } as const;
  const killed = await killOften({ ...command, between: [0, 1.5] }, kills, async (copy, place) => {
    const { moment, found } = await examine(original, copy, place);
    moments[moment] += 1;
    return found;
  });
  problems.push(...killed);
  for (const [moment, count] of Object.entries(moments)) {
    if (isFull && count === 0) problems.push(`no kill came ${moment} the migration`);
  }
  const { before, within, after } = moments;
  const rows = original.digest.tables['transactions']?.rows ?? 0;
  const figure =
    `${rows} rows in ${Math.round(wholeMs)} ms, ` +
    `${kills} kills: ${before} before the migration, ${within} during it, ${after} after it`;
  return { figure, problems };
}

async function migrateOnce(
  { file, columns, digest: expected }: Original,
  path: string,
  problems: string[],
): Promise<number> {
  const old = listedRows(file);
  const [elapsedMs, { code, stderr }] = await timed(() => coffer(...reading(path)));
  if (code !== 0) problems.push(`the migration ended with ${code}: ${stderr}`);
  if (!stderr.includes('.before-schema-')) problems.push(`the backup was not reported: ${stderr}`);
  problems.push(...differences(expected, digest(path, columns)));
  await useStore(path, async (store) => {
    for (const [bookId, rows] of old) problems.push(...(await pagesOf(store, bookId, rows)));
    const findings = await checkDatabase(store, { repair: false });
    problems.push(...findings.map(({ detail }) => `the doctor reports: ${detail}`));
  });
  return elapsedMs;
}

/** A server must migrate, too, and name the backup in its log. */
async function serverProblems(database: string, place: string): Promise<string[]> {
  const server = await startServer({ database });
  const code = await server.end('SIGTERM');
  const isTold = server.log().includes(JSON.stringify(backupsIn(place)[0] ?? 'no backup'));
  return code === 0 && isTold ? [] : [`a server ended with ${code} and logged ${server.log()}`];
}

/** A read-only command, which must migrate the database first. */
function reading(path: string): string[] {
  return ['token', 'list', '--email', 'ada@example.org', '--database', `sqlite:${path}`];
}

async function examine(original: Original, path: string, place: string) {
  const killed = digest(path, original.columns);
  const found = differences(original.digest, killed);
  const isOld = killed.schemaVersion === original.digest.schemaVersion;
  if (!isOld && killed.schemaVersion !== schemaVersion)
    found.push(`the schema has version ${killed.schemaVersion}`);
  if (!isOld) found.push(...backupProblems(original, place));
  const isUntouched = readdirSync(place).every((name) => /^coffer\.db(-\w+)?$/.test(name));
  found.push(...(await goOn(original, path, place)));
  const moment = !isOld ? 'after' : isUntouched ? 'before' : 'within';
  return { moment, found } as const;
}

function backupsIn(place: string): string[] {
  return readdirSync(place)
    .filter((name) => name.startsWith('coffer.db.before-schema-'))
    .map((name) => join(place, name));
}

/** A backup must hold the content from before the migration. */
function backupProblems(original: Original, place: string): string[] {
  const [backup] = backupsIn(place);
  if (backup === undefined) return ['it was migrated without a backup'];
  if (checkSeal(backup) !== 'intact') return ['the backup is not intact'];
  return named('in the backup', differences(original.digest, digest(backup, original.columns)));
}

/** The next command on the database must finish the migration. */
async function goOn(original: Original, path: string, place: string): Promise<string[]> {
  const { code, stderr } = await coffer(...reading(path));
  if (code !== 0) return [`the next command ended with ${code}: ${stderr}`];
  const found = digest(path, original.columns);
  return [
    ...(found.schemaVersion === schemaVersion ? [] : ['the next command did not migrate']),
    ...differences(original.digest, found),
    ...backupProblems(original, place),
  ];
}

/** A command must refuse a database of a newer program, without changing a byte. */
async function refuseNewer(folder: string): Promise<string[]> {
  const path = join(folder, 'coffer.db');
  await useStore(path, (store) => addOwner(store, 'owner'));
  // A newer program may use another journal mode.
  const statements = 'PRAGMA journal_mode = DELETE; PRAGMA user_version = 999';
  readFile(path, (database) => database.exec(statements));
  const bytes = readFileSync(path);
  const { code, stderr } = await coffer(...reading(path));
  const isRefused = code === 1 && /schema version 999, but .* at most \d+/.test(stderr);
  if (isRefused && readFileSync(path).equals(bytes)) return [];
  return [`a newer database was changed, or not refused: ${code}, ${stderr}`];
}

/** Plain rows only: parents, parts and members would need each other. */
const plain = `is_split_parent = 0 AND split_parent_id IS NULL AND is_group_parent = 0
  AND group_parent_id IS NULL AND tag_ids = '[]' AND is_pending = 0`;

function growDatabase(path: string, rowCount: number): void {
  readFile(path, (database) => {
    const texts = (sql: string): string[] => database.prepare<[], string>(sql).pluck().all();
    const names = texts(`SELECT name FROM pragma_table_info('transactions')
      WHERE name NOT IN ('id', 'external_id')`).join(', ');
    // The tables of search and of hidden rows, which older schemas do not have, are filled later.
    const derived = texts(`SELECT name FROM pragma_table_info('books')
      WHERE name IN ('derived_version', 'hidden_counts_version')`);
    const number = (sql: string): number => Number(texts(sql)[0] ?? 0);
    const ownRows = number(`SELECT count(*) FROM transactions WHERE ${plain}`);
    const copies = Math.floor(rowCount / ownRows);
    const step = number('SELECT max(id) FROM transactions') + 1;
    const count = (granularity: string, length: number): string => `
      INSERT INTO transaction_counts (book_id, granularity, period, listed)
      SELECT book_id, '${granularity}', substr(date, 1, ${length}), count(*) FROM transactions
      WHERE listed = 1 GROUP BY 1, 3;`;
    database.exec(`PRAGMA synchronous = OFF;
      BEGIN;
      INSERT INTO transactions (id, ${names})
      WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${copies})
      SELECT id + n * ${step}, ${names} FROM copies CROSS JOIN transactions WHERE ${plain} AND id < ${step};
      UPDATE id_sequences SET next_id = (SELECT max(id) + 1 FROM transactions) WHERE name = 'transactions';
      ${derived.map((name) => `UPDATE books SET ${name} = 0;`).join('')}
      DELETE FROM transaction_counts; ${count('month', 7)} ${count('day', 10)}
      COMMIT;
      PRAGMA journal_mode = WAL`);
  });
}

const limit = 1000;
const plainQuery = {
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_children: false,
  include_metadata: false,
  include_files: false,
  limit,
};

type Row = Readonly<Record<string, unknown>>;

function listedRows(path: string): Map<number, readonly Row[]> {
  const listed = `SELECT json FROM transactions WHERE book_id = ? AND listed = 1
    ORDER BY date DESC, id DESC`;
  return readFile(path, (database) => {
    const books = database.prepare<[], number>('SELECT id FROM books').pluck().all();
    const rows = database.prepare<[number], string>(listed).pluck();
    return new Map(
      books.map((book) => [book, rows.all(book).map((text) => JSON.parse(text) as Row)]),
    );
  });
}

async function pagesOf(store: Engine, bookId: number, rows: readonly Row[]): Promise<string[]> {
  const problems: string[] = [];
  const remembered = new RememberedKeys(10);
  for (let offset = 0; offset <= rows.length; offset += limit) {
    const page = await store.read(() =>
      listTransactions(bookId, { ...plainQuery, offset }, remembered),
    );
    const found = JSON.parse(`[${page.json.toString()}]`) as Row[];
    const expected = rows.slice(offset, offset + limit);
    const isSame = expected.every((row, n) => isDeepStrictEqual({ ...found[n], ...row }, found[n]));
    if (found.length !== expected.length || !isSame)
      problems.push(`the page at ${offset} of book ${bookId} differs`);
    if (page.hasMore !== offset + limit < rows.length)
      problems.push(`has_more at ${offset} of book ${bookId} is ${page.hasMore}`);
  }
  return problems;
}
