import { pathToFileURL } from 'node:url';
import { schemas, type Schemas } from '../../packages/server/src/db/tables/migrations.ts';
import { openSqliteDatabase } from '../../packages/server/src/maintenance/open-sqlite.ts';

const script = `ALTER TABLE transactions ADD COLUMN planted INTEGER NOT NULL DEFAULT 0;
  UPDATE transactions SET planted = amount;
  CREATE INDEX planted_transactions ON transactions (book_id, planted);
  CREATE TABLE planted (x INTEGER NOT NULL) STRICT`;

/** The schemas of this program, and a change of every transaction as a newer program would make it. */
export const plantedSchemas: Schemas = {
  base: schemas.base,
  migrations: [...schemas.migrations, { sqlite: script, postgres: script }],
};

/** Opens a database as that program, and prints the name of the backup from before, if it was migrated. */
async function open(path: string): Promise<void> {
  await openSqliteDatabase(path, {
    occupation: 'command',
    busyTimeoutMs: 30_000,
    openTimeoutMs: 30_000,
    known: plantedSchemas,
    onMigration: ({ backup }) => console.log(backup),
  }).close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await open(process.argv[2]!);
