import sql, { raw } from 'sql-template-tag';
import { insertMany, row, rows } from './engine.ts';
import type { Operation } from './engine.ts';
import { bringUpToDate } from './migrate-postgres.ts';
import { MoveError } from './move-catalog.ts';
import type { Row, Table, Value } from './move-catalog.ts';
import { sessionUrl } from './move-end.ts';
import { ownSchema, postgresCatalog } from './move-postgres-catalog.ts';
import { nameRow } from './move-rows.ts';
import type { MoveTarget } from './move-target.ts';
import { openPostgres } from './postgres.ts';
import type { PostgresConnection } from './postgres-connection.ts';

const lockTimeoutMs = 10_000;

/**
 * Fills a database without records by `work`, in one transaction: when it throws, or the process or the server dies,
 * the server takes everything back, the tables too.
 *
 * Throws a {@link MoveError} when there are records already, and as opening a store does.
 */
export async function moveToServer<T>(
  url: string,
  work: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const engine = openPostgres({
    url: sessionUrl(url),
    poolSize: 1,
    maxWaiting: 1,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
  });
  let isDone = false as boolean;
  try {
    return await engine.migrate(lockTimeoutMs, async (connection) => {
      await bringUpToDate(connection);
      const tables = await connection.run(postgresCatalog.readTables());
      await connection.command(`LOCK TABLE ${namesOf(tables)} IN ACCESS EXCLUSIVE MODE`);
      await connection.run(refuseRecords(tables));
      const result = await work(await suspend(connection, tables));
      isDone = true;
      return result;
    });
  } catch (error) {
    throw isDone ? unknownEnd(error) : error;
  } finally {
    await engine.close();
  }
}

function unknownEnd(cause: unknown): MoveError {
  return new MoveError(
    'The target failed at the very end: whether the database is there is not known, so look',
    { cause },
  );
}

function namesOf(tables: readonly Table[]): string {
  return tables.map(({ name }) => name).join(', ');
}

function* refuseRecords(tables: readonly Table[]): Operation<void> {
  const full: string[] = [];
  for (const { name } of tables) {
    const found = yield* row(sql`SELECT 1 AS one FROM ${raw(name)} LIMIT 1`);
    if (found !== undefined) full.push(name);
  }
  if (full.length === 0) return;
  throw new MoveError(
    `The target has rows already, in ${full.join(', ')}: a database is moved to an empty one, so make a new one ` +
      'by CREATE DATABASE and name that by --to',
  );
}

/** Something that is dropped while rows are written, with the statement that makes it again. */
interface Suspended {
  readonly drop: string;
  readonly make: string;
}

/** Foreign keys and indexes cost more by the row than all at once, and a row may come before the one it points to. */
async function suspend(
  connection: PostgresConnection,
  tables: readonly Table[],
): Promise<MoveTarget> {
  const suspended = await connection.run(findSuspended());
  for (const { drop } of suspended) await connection.command(drop);
  return {
    catalog: postgresCatalog,
    run: (operation) => connection.run(operation),
    insert: async (table, found) => {
      const values = found.map((each) => valuesOf(table, each));
      const [step] = insertMany(table.name, table.stored, values);
      if (step !== undefined) await connection.perform(step);
    },
    complete: async () => {
      for (const { make } of suspended.toReversed()) await connection.command(make);
      await connection.command(`ANALYZE ${namesOf(tables)}`);
    },
  };
}

/** Foreign keys first: they need the indexes of what they point to. */
function* findSuspended(): Operation<Suspended[]> {
  const keys = yield* rows<Suspended>(sql`
    SELECT 'ALTER TABLE ' || k.conrelid::regclass || ' DROP CONSTRAINT ' || quote_ident(k.conname) AS drop,
      'ALTER TABLE ' || k.conrelid::regclass || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' '
        || pg_get_constraintdef(k.oid) AS make
    FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = ${ownSchema} ORDER BY k.oid`);
  const indexes = yield* rows<Suspended>(sql`
    SELECT 'DROP INDEX ' || i.indexrelid::regclass AS drop, pg_get_indexdef(i.indexrelid) AS make
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = ${ownSchema}
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype <> 'f')
    ORDER BY c.oid`);
  return [...keys, ...indexes];
}

function valuesOf(table: Table, each: Row): Value[] {
  return table.stored.map((column) => {
    const value = each[column] ?? null;
    if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
    if (typeof value !== 'string' || !value.includes('\0')) return value;
    throw new MoveError(
      `${nameRow(table, each)} cannot be moved: its ${column} has a NUL character, which PostgreSQL does not keep`,
    );
  });
}
