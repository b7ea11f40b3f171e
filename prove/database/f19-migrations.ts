import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { schemaVersion } from '../../packages/server/src/db/migrations/index.ts';
import {
  oldSchemas,
  unpackOldSchema,
  type OldSchema,
} from '../../packages/server/src/db/testing/old-schemas.ts';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { checkDatabase, hasNoUser, newToken } from '../../packages/server/src/main.ts';
import { checkSeal } from '../../packages/server/src/maintenance/backup.ts';
import { inFolder, useStore } from '../run/book.ts';
import type { Check } from '../run/check.ts';
import { coffer, killCoffer } from '../run/coffer.ts';
import { startServer } from '../run/server-process.ts';
import { differences, digest, type Columns, type DatabaseDigest } from './database-digest.ts';
import { growDatabase, listedRows, pagesOf } from './grown-database.ts';

/** Longer than a complete migration, so that some kills come too late. */
const spread = 1.5;
const rowsOfShortForm = 1500;
const rowsOfFullForm = 100_000;

/** Kills the program while it migrates a database of each earlier schema. */
export const check: Check = {
  id: 'F19',
  rounds: { short: 3, full: 30 },
  run: async (kills) => {
    const isFull = kills >= 30;
    const older = oldSchemas.filter(({ version }) => version < schemaVersion);
    const runs: Run[] = [];
    for (const old of older) {
      runs.push(await inFolder((folder) => killOften(folder, old, kills, isFull)));
    }
    const newer = await inFolder(refuseNewer);
    const from = older.map(({ version }) => version).join(', ');
    const figure = `from schema ${from || 'none'} to ${schemaVersion}; ${runs.map(({ figure }) => figure).join('; ')}`;
    return { figure, problems: [...runs.flatMap(({ problems }) => problems), ...newer] };
  },
};

interface Run {
  readonly figure: string;
  readonly problems: readonly string[];
}

/** A database of an old schema, and the content that it must keep. */
interface Original {
  readonly file: string;
  readonly columns: Columns;
  readonly digest: DatabaseDigest;
}

/** When a kill came. */
type Moment = 'before' | 'within' | 'after';

async function killOften(
  folder: string,
  old: OldSchema,
  kills: number,
  isFull: boolean,
): Promise<Run> {
  const original = makeOriginal(folder, old, isFull ? rowsOfFullForm : rowsOfShortForm);
  const problems: string[] = [];
  const wholeMs = await migrateOnce(original, join(folder, 'whole'), problems);
  problems.push(...(await serverProblems(original, join(folder, 'served'))));
  const moments: Record<Moment, number> = { before: 0, within: 0, after: 0 };
  for (let kill = 0; kill < kills; kill += 1) {
    const place = join(folder, `kill-${kill}`);
    const afterMs = (wholeMs * spread * (kill + 1)) / kills;
    const { moment, found } = await killAfter(original, place, afterMs);
    moments[moment] += 1;
    problems.push(...found.map((problem) => `killed after ${Math.round(afterMs)} ms: ${problem}`));
    rmSync(place, { recursive: true });
  }
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

function makeOriginal(folder: string, old: OldSchema, rowCount: number): Original {
  const file = join(folder, 'original.db');
  unpackOldSchema(old, file);
  growDatabase(file, rowCount);
  const columns = columnsOf(file);
  return { file, columns, digest: digest(file, columns) };
}

/** Migrates without a kill, compares the pages of every book with the old rows, and returns the duration. */
async function migrateOnce(
  { file, columns, digest: expected }: Original,
  place: string,
  problems: string[],
): Promise<number> {
  const path = copyTo(place, file);
  const old = listedRows(file);
  const startedAtMs = performance.now();
  const { code, stderr } = await coffer(...reading(path));
  const elapsedMs = performance.now() - startedAtMs;
  if (code !== 0) problems.push(`the migration ended with ${code}: ${stderr}`);
  if (!stderr.includes('.before-schema-')) problems.push(`the backup was not reported: ${stderr}`);
  problems.push(...differences(expected, digest(path, columns)));
  await useStore(path, async (store) => {
    for (const [bookId, rows] of old) problems.push(...(await pagesOf(store, bookId, rows)));
    const findings = await checkDatabase(store, { repair: false });
    problems.push(...findings.map(({ detail }) => `the doctor reports: ${detail}`));
  });
  rmSync(place, { recursive: true });
  return elapsedMs;
}

/** A server must migrate, too, and name the backup in its log. */
async function serverProblems({ file }: Original, place: string): Promise<string[]> {
  const server = await startServer({ database: copyTo(place, file) });
  const code = await server.end('SIGTERM');
  const [backup = 'no backup'] = backupsIn(place);
  rmSync(place, { recursive: true });
  const isTold = server.log().includes(JSON.stringify(backup));
  return code === 0 && isTold ? [] : [`a server ended with ${code} and logged ${server.log()}`];
}

/** A read-only command, which must migrate the database first. */
function reading(path: string): string[] {
  return ['token', 'list', '--email', 'ada@example.org', '--database', `sqlite:${path}`];
}

function copyTo(place: string, file: string): string {
  mkdirSync(place);
  const path = join(place, 'coffer.db');
  copyFileSync(file, path);
  return path;
}

async function killAfter(
  original: Original,
  place: string,
  afterMs: number,
): Promise<{ moment: Moment; found: string[] }> {
  const path = copyTo(place, original.file);
  await killCoffer(reading(path), afterMs);
  const killed = digest(path, original.columns);
  const found = differences(original.digest, killed);
  const { schemaVersion: old } = original.digest;
  const isOld = killed.schemaVersion === old;
  if (!isOld && killed.schemaVersion !== schemaVersion)
    found.push(`the schema has version ${killed.schemaVersion}`);
  const backups = backupsIn(place);
  if (!isOld) found.push(...backupProblems(original, backups));
  const isUntouched = readdirSync(place).every((name) => /^coffer\.db(-\w+)?$/.test(name));
  found.push(...(await goOn(original, place)));
  return { moment: isOld ? (isUntouched ? 'before' : 'within') : 'after', found };
}

function backupsIn(place: string): string[] {
  return readdirSync(place)
    .filter((name) => name.startsWith('coffer.db.before-schema-'))
    .map((name) => join(place, name));
}

/** A backup must hold the content from before the migration. */
function backupProblems(original: Original, backups: readonly string[]): string[] {
  const [backup] = backups;
  if (backup === undefined) return ['it was migrated without a backup'];
  if (checkSeal(backup) !== 'intact') return ['the backup is not intact'];
  return differences(original.digest, digest(backup, original.columns)).map(
    (difference) => `in the backup ${difference}`,
  );
}

/** The next command on the database must finish the migration. */
async function goOn(original: Original, place: string): Promise<string[]> {
  const path = join(place, 'coffer.db');
  const { code, stderr } = await coffer(...reading(path));
  if (code !== 0) return [`the next command ended with ${code}: ${stderr}`];
  const found = digest(path, original.columns);
  return [
    ...(found.schemaVersion === schemaVersion ? [] : ['the next command did not migrate']),
    ...differences(original.digest, found),
    ...backupProblems(original, backupsIn(place)),
  ];
}

/** Every command must refuse a database of a newer program, without changing a byte. */
async function refuseNewer(folder: string): Promise<string[]> {
  const path = join(folder, 'coffer.db');
  await useStore(path, (store) => store.readStatement(() => hasNoUser()));
  const database = new Database(path);
  // A newer program may use another journal mode.
  database.pragma('journal_mode = DELETE');
  database.pragma('user_version = 999');
  database.close();
  const bytes = readFileSync(path);
  const problems: string[] = [];
  const name = ['--database', `sqlite:${path}`];
  const backup = join(folder, `${newToken().text.slice(-6)}.bak`);
  for (const argv of [['doctor'], ['serve', '--port', '0'], ['backup', backup]]) {
    const { code, stdout, stderr } = await coffer(...argv, ...name);
    const isTold = /schema version 999, but this program supports at most \d+/.test(stderr);
    if (code !== 1 || !isTold || stdout !== '')
      problems.push(`${argv[0]} ended with ${code} on a newer database and printed: ${stderr}`);
    if (!readFileSync(path).equals(bytes)) problems.push(`${argv[0]} changed a newer database`);
  }
  const others = readdirSync(folder).filter((file) => !/^coffer\.db(-lock)?$/.test(file));
  return [...problems, ...others.map((file) => `${file} was left next to a newer database`)];
}
