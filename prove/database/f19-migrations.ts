import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newestOf, schemas } from '../../packages/server/src/db/tables/migrations.ts';
import { makeBaseFile } from '../../packages/server/src/db/testing/base-schema.ts';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { checkSeal } from '../../packages/server/src/maintenance/backup.ts';
import { coffer, runProgram, startRunning } from '../../test/service/coffer.ts';
import { inFolder } from '../../test/service/owners.ts';
import { named, timed, type Check, type Outcome } from '../run/check.ts';
import { readFile } from '../run/ledger.ts';
import {
  differences,
  digest,
  onCopy,
  type Columns,
  type DatabaseDigest,
} from './killed-commands.ts';
import { plantedSchemas } from './planted-migration.ts';

const rowsOfForm = { short: 1500, full: 30_000 };
const newest = newestOf(plantedSchemas);
const program = join(import.meta.dirname, 'planted-migration.ts');
/** Opens a database as a newer program, which must migrate it first. */
const opening = (path: string): string[] => [process.execPath, program, path];

export const check: Check = {
  id: 'F19',
  rounds: { short: 3, full: 30 },
  run: async (kills) => {
    const { figure, problems } = await inFolder((folder) => killAll(folder, kills));
    const refused = [
      ...(await inFolder((folder) => refuse(folder, 999, /version 999, but .* at most \d+/))),
      ...(await inFolder((folder) =>
        refuse(folder, 10, /version 10, .*git checkout [0-9a-f]{40}"/),
      )),
    ];
    return { figure, problems: [...problems, ...refused] };
  },
};

interface Original {
  readonly columns: Columns;
  readonly digest: DatabaseDigest;
}

async function killAll(folder: string, kills: number): Promise<Outcome> {
  const isFull = kills >= check.rounds.full;
  const file = join(folder, 'original.db');
  makeBaseFile(file);
  growDatabase(file, isFull ? rowsOfForm.full : rowsOfForm.short);
  const columns = columnsOf(file);
  const original: Original = { columns, digest: digest(file, columns) };
  const problems: string[] = [];
  const wholeMs = await onCopy(folder, file, async (copy, place) => {
    const [elapsedMs] = await timed(() => goOn(original, copy, place, problems));
    return elapsedMs;
  });
  const moments = { before: 0, within: 0, after: 0 };
  for (let kill = 1; kill <= kills; kill += 1) {
    // Longer than a complete migration, so that some kills come too late.
    const delayMs = (wholeMs * 1.5 * kill) / kills;
    await onCopy(folder, file, async (copy, place) => {
      const { kill: end, ended } = startRunning(opening(copy));
      await Promise.race([sleep(delayMs), ended]);
      end();
      await ended;
      const found: string[] = [];
      moments[await examine(original, copy, place, found)] += 1;
      problems.push(...named(`killed after ${Math.round(delayMs)} ms`, found));
    });
  }
  for (const [moment, count] of Object.entries(moments))
    if (isFull && count === 0) problems.push(`no kill came ${moment} the migration`);
  const { before, within, after } = moments;
  const rows = original.digest.tables['transactions']?.rows ?? 0;
  const figure =
    `from schema ${schemas.base} to a planted one; ${rows} rows in ${Math.round(wholeMs)} ms, ` +
    `${kills} kills: ${before} before the migration, ${within} during it, ${after} after it`;
  return { figure, problems };
}

/** Examines a database whose migration was killed, and finishes it. Returns when the kill came. */
async function examine(original: Original, path: string, place: string, problems: string[]) {
  const killed = digest(path, original.columns);
  problems.push(...differences(original.digest, killed));
  const isOld = killed.schemaVersion === original.digest.schemaVersion;
  if (!isOld && killed.schemaVersion !== newest)
    problems.push(`the schema has version ${killed.schemaVersion}`);
  if (!isOld) problems.push(...backupProblems(original, place));
  const isUntouched = readdirSync(place).every((name) => /^coffer\.db(-\w+)?$/.test(name));
  await goOn(original, path, place, problems);
  return isOld ? (isUntouched ? 'before' : 'within') : 'after';
}

/** The next program that opens the database must finish the migration. */
async function goOn(
  original: Original,
  path: string,
  place: string,
  problems: string[],
): Promise<void> {
  const { code, stderr } = await runProgram(opening(path));
  if (code !== 0) problems.push(`the next program ended with ${code}: ${stderr}`);
  const found = digest(path, original.columns);
  if (found.schemaVersion !== newest) problems.push('the next program did not migrate');
  problems.push(...differences(original.digest, found), ...backupProblems(original, place));
}

/** A backup must hold the content from before the migration. */
function backupProblems(original: Original, place: string): string[] {
  const backups = readdirSync(place).filter((name) => name.startsWith('coffer.db.before-schema-'));
  const [backup] = backups.map((name) => join(place, name));
  if (backup === undefined) return ['it was migrated without a backup'];
  if (checkSeal(backup) !== 'intact') return ['the backup is not intact'];
  return named('in the backup', differences(original.digest, digest(backup, original.columns)));
}

/** A command must refuse a database of another version, without changing a byte. */
async function refuse(folder: string, version: number, message: RegExp): Promise<string[]> {
  const path = join(folder, 'coffer.db');
  makeBaseFile(path);
  // A newer program may use another journal mode.
  const statements = `PRAGMA journal_mode = DELETE; PRAGMA user_version = ${version}`;
  readFile(path, (database) => database.exec(statements));
  const bytes = readFileSync(path);
  const { code, stderr } = await coffer('doctor', '--database', `sqlite:${path}`);
  if (code === 1 && message.test(stderr) && readFileSync(path).equals(bytes)) return [];
  return [`a database of schema ${version} was changed, or not refused: ${code}, ${stderr}`];
}

/** Copies the transactions of the database until it has about `rowCount`. */
function growDatabase(path: string, rowCount: number): void {
  readFile(path, (database) => {
    const names = database
      .prepare<[], string>(
        "SELECT name FROM pragma_table_info('transactions') WHERE name NOT IN ('id', 'external_id')",
      )
      .pluck()
      .all()
      .join(', ');
    const count = (granularity: string, length: number): string => `
      INSERT INTO transaction_counts (book_id, granularity, period, listed)
      SELECT book_id, '${granularity}', substr(date, 1, ${length}), count(*) FROM transactions
      WHERE listed = 1 GROUP BY 1, 3;`;
    database.exec(`PRAGMA synchronous = OFF;
      BEGIN;
      INSERT INTO transactions (id, ${names})
      WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${Math.floor(rowCount / 4)})
      SELECT id + n * 5, ${names} FROM copies CROSS JOIN transactions WHERE id IN (1, 2, 3, 5);
      UPDATE id_sequences SET next_id = (SELECT max(id) + 1 FROM transactions) WHERE name = 'transactions';
      DELETE FROM transaction_counts; ${count('month', 7)} ${count('day', 10)}
      COMMIT`);
  });
}
