import { randomBytes } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { schemaScript } from './schema.ts';
import { databaseIdentity } from './tables.ts';

/** One change of the schema, as a script for each engine. */
export interface Migration {
  readonly sqlite: string;
  readonly postgres: string;
}

/** The schemas that a program can open. */
export interface Schemas {
  /** The oldest one. */
  readonly base: number;
  /** The changes after it: each raises the version by one. */
  readonly migrations: readonly Migration[];
}

/**
 * The schema of the first release, and the changes since.
 *
 * A new database gets the newest schema at once, from the descriptions of the tables (`schema.ts`); these scripts are
 * for databases that exist. A test compares the two results. A script that was released never changes. It only adds, so
 * that nodes of the previous release continue to work: see docs/operate/upgrading.md.
 */
export const schemas: Schemas = { base: 11, migrations: [storedEntries(), searchBlocks()] };

/** The entries of previews are stored. Those of earlier previews are not, so these have expired. */
function storedEntries(): Migration {
  const script = (integer: string, options: string): string => `
    ALTER TABLE import_previews ADD COLUMN compared TEXT;
    CREATE TABLE import_preview_entries (
      book_id ${integer} NOT NULL,
      import_id ${integer} NOT NULL,
      place ${integer} NOT NULL,
      verdicts TEXT NOT NULL,
      entries TEXT NOT NULL,
      decisions TEXT NOT NULL,
      PRIMARY KEY (book_id, import_id, place),
      FOREIGN KEY (book_id, import_id) REFERENCES imports (book_id, id) ON DELETE CASCADE
    )${options};`;
  return { sqlite: script('INTEGER', ' STRICT'), postgres: script('BIGINT', '') };
}

/**
 * Search has blocks of its own, which the server fills in the background, and the first search of a book that is not
 * filled yet. The texts that were folded in another way are filled again, too.
 */
function searchBlocks(): Migration {
  const script = (integer: string, bytes: string, options: string, keyed: string): string => `
    CREATE TABLE search_blocks (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      first_id ${integer} NOT NULL,
      first_day ${integer} NOT NULL,
      last_day ${integer} NOT NULL,
      block ${bytes} NOT NULL,
      PRIMARY KEY (book_id, first_id)
    )${options};
    CREATE TABLE search_progress (
      book_id ${integer} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      version ${integer} NOT NULL,
      filled_id ${integer},
      PRIMARY KEY (book_id)
    )${keyed};
    UPDATE books SET derived_version = 0 WHERE texts_version <> version;`;
  return {
    sqlite: script('INTEGER', 'BLOB', ' STRICT', ' STRICT, WITHOUT ROWID'),
    postgres: `${script('BIGINT', 'BYTEA', '', '')}
    ALTER TABLE search_blocks ALTER COLUMN block SET STORAGE EXTERNAL;`,
  };
}

/** The last commit whose program upgrades the schemas before {@link schemas}, which no release had. */
const lastUpgrade = '9dfc56858d9e13e0f0e3b69e9867e8528c2f998a';

/** Returns the newest of some schemas. */
export function newestOf({ base, migrations }: Schemas): number {
  return base + migrations.length;
}

/** The schema version that this program reads and writes. */
export const schemaVersion: number = newestOf(schemas);

/** The database was written by a newer program, whose data this one could damage. */
class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
  constructor(found: number, newest: number) {
    super(
      `The database has schema version ${found}, but this program supports at most ${newest}: ` +
        'run a newer version of Coffer',
    );
  }
}

/** The database was written before the first release. */
class OlderDatabaseError extends Error {
  override name = 'OlderDatabaseError';
  constructor(found: number, base: number) {
    super(
      `The database has schema version ${found}, from before Coffer 0.1.0, but this program supports only ${base} ` +
        `and newer. Upgrade it in two steps: first run "git checkout ${lastUpgrade}", "npm ci" and ` +
        `"npx coffer doctor" with its --database in the repository of Coffer; then open it with this program`,
    );
  }
}

/** Throws {@link NewerDatabaseError} or {@link OlderDatabaseError} for a version that cannot be opened; 0 is new. */
export function refuseOthers(found: number, known: Schemas = schemas): void {
  const newest = newestOf(known);
  if (found > newest) throw new NewerDatabaseError(found, newest);
  if (found > 0 && found < known.base) throw new OlderDatabaseError(found, known.base);
}

/** Returns the scripts that bring a database from a version to the newest one, each with the version that it makes. */
export function scriptsFrom(
  found: number,
  engine: keyof Migration,
  known: Schemas,
): { readonly version: number; readonly script: string }[] {
  if (found === 0) return [{ version: newestOf(known), script: schemaScript(engine) }];
  return known.migrations
    .map((each, index) => ({ version: known.base + index + 1, script: each[engine] }))
    .filter(({ version }) => version > found);
}

/**
 * Gives the database a new random id of 32 hexadecimal digits.
 *
 * The id is part of what clients keep, such as ETags and positions in the change feed. A copy of the database uses the
 * same version numbers for different changes, so it needs its own id.
 */
export function drawIdentity(): Sql {
  return sql`UPDATE ${raw(databaseIdentity.name)} SET value = ${randomBytes(16).toString('hex')} WHERE name = 'id'`;
}
