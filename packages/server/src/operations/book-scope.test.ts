import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql, { type Sql } from 'sql-template-tag';
import { rows, type Engine } from '../db/engine.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine, type RecordingEngine } from '../db/testing/recording-engine.ts';
import { tablesOf, unscopedInsert, unscopedScans } from '../db/testing/scoped-plan.ts';
import type { PlanNode } from '../db/testing/scoped-plan.ts';
import { nowIso, performAll } from './testing/every-operation.ts';

/** Operations that read or write all tables, or one, without comparing the book, with the reasons. */
const exceptions: Readonly<Record<string, string>> = {
  'authenticate access_tokens': 'a token is found by its hash and determines the book',
  'touchToken access_tokens': 'the token was found by its hash before',
  'revokeToken access_tokens': 'the token was found in the book before',
  'bookOfSession sessions': 'a session is found by its hash and determines the book',
  'touchSession sessions': 'the session was found by its hash before',
  'signIn sign_in_links': 'a link is found by its hash and determines the book',
  'signIn books': 'the book of the link, or the first book of the user',
  'signIn sessions': 'the new session, and the one that it replaces, are found by their hashes',
  'getAllSessions sessions': 'the sessions of a user in all books',
  'endSession sessions': 'a session of the user, in any book',
  'signOut sessions': 'a session of the user, in any book',
  'setPassword sessions': 'the sessions of a user in all books end',
  'setPassword sign_in_links': 'the links of a user in all books end',
  'the job removals books':
    'the books of removed users, and those whose import was killed, are deleted',
  'the job search books': 'the books whose derived tables lack a change are filled',
  'the job search changed_records': 'what changed in each of these books',
  'the job search search_progress': 'the books whose search lacks a change are filled',
  'the job sessions': 'what has expired is deleted for all users',
  'createUser books': 'the book is new and has no id yet',
  'findBooks books': 'the books of a user, for a command',
  'listUsers books': 'the number of books of each user, for the command',
  'booksOf books': 'the books of a user, for the command',
  'findUser books': 'a user is found if one of the books is whole',
  'createBook books': 'its name is compared with those of the other books of the user',
  'changeTransactionsInBulk changed_records': 'as below',
  'deleteCategory changed_records': 'lines are written by INSERT … SELECT, which names the book',
  'deleteManualAccount changed_records': 'as above',
  'deleteTag changed_records': 'as above',
  'deleteTag transaction_tags': 'as above',
  'renameBook books': 'its name is compared with those of the other books of the user',
  'updateBook books': 'as above',
  'removeBook books': 'the last book of a user is not removed',
  check: 'the doctor examines all books',
  importRates: 'new rates change the values of all books',
  'the job change log': 'books with old changes are looked up',
  'the job contents of files': 'the attached files of all books are examined',
  'the job crypto prices': 'prices are read once for the accounts of all books',
  'the job idempotency keys': 'old keys of all books are deleted',
  'the job import previews import_previews': 'the expired previews of all books are deleted',
  'the job month ends': 'the balances of all books are recorded',
  'the job recurring suggestions': 'transactions of all books are examined',
  'the job sync': 'the connections of all books are read',
  'the job stored times': 'times that are too far ahead are shortened in all books',
  dueWebhooks: 'the webhooks of all books are served',
  'the job unreferenced files': 'the files of deleted books are deleted, too',
};

/** Returns the name of an exception: of an operation on all books, or of an operation and a table. */
const placeOf = (operation: string, table: string): string =>
  operation in exceptions ? operation : `${operation} ${table}`;

/** Indexes of tables with a book that do not start with the book. */
const otherIndexes: Readonly<Record<string, string>> = {
  access_tokens_pkey: 'a token is updated by its id, known from its hash',
  access_tokens_token_hash_key: 'a token is found by its hash, before the book is known',
  sessions_pkey: 'a session is used and ended by its id, known from its hash or its user',
  sessions_secret_hash_key: 'a session is found by its hash, before the book is known',
  sessions_by_user: 'the sessions of a user in all books',
  sign_in_links_pkey: 'a link is removed by its id, known from its hash',
  sign_in_links_secret_hash_key: 'a link is found by its hash, before the book is known',
  sign_in_links_by_user: 'the links of a user in all books',
  enabled_webhooks: 'the webhooks of all books that are due',
};

/** Tables whose rows belong to no book. */
const otherTables = [
  'books',
  'database_identity',
  'job_runs',
  'leases',
  'rerates',
  'schema_versions',
  'users',
  'backup_results',
  'cryptocurrencies',
  'cryptocurrency_prices',
  'exchange_rates',
  'passkey_challenges',
  'passkeys',
  'passwords',
  'sign_in_failures',
];

/** A subquery in the list of columns of a relation of given rows: a database that is spread by book refuses it. */
const overRows =
  /^\s*WITH \w+ \([^)]*\) AS \(VALUES [^]*?\)\s*SELECT (\w+\.\w+( AS \w+)?, )?\(SELECT/;

const { skip, open } = engines.find(({ name }) => name === 'PostgreSQL')!;

describe('every operation is confined to the book of its caller', { skip }, () => {
  let engine: RecordingEngine;
  let columns: ReadonlyMap<string, string>;
  before(async () => {
    engine = recordingEngine(await open(() => Date.parse(nowIso)));
    columns = await bookColumns(engine);
  });

  it('every statement of every operation compares the book of every row with its own', async () => {
    const book = await performAll(engine);
    const found = new Set<string>();
    const seen = new Set<string>();
    const plans = new Map<string, PlanNode>();
    const tables = new Set<string>();
    for (const { operation, step } of engine.recorded.slice()) {
      const table = unscopedInsert(step, columns, book.id);
      if (table !== null) found.add(placeOf(operation, table));
      if ('insertInto' in step) tables.add(step.insertInto);
      if ('insertInto' in step || seen.has(`${operation} ${step.text}`)) continue;
      seen.add(`${operation} ${step.text}`);
      assert.doesNotMatch(step.text, overRows, operation);
      // The plan of a statement depends on where it has the book among its values.
      const places = step.values.map((value) => (value === book.id ? 1 : 0)).join('');
      const key = `${places} ${step.text}`;
      const plan = plans.get(key) ?? (await planOf(engine, step));
      plans.set(key, plan);
      for (const each of tablesOf(plan)) tables.add(each);
      for (const each of unscopedScans(plan, columns, book.id)) found.add(placeOf(operation, each));
    }
    assert.deepEqual(
      [...columns.keys()].filter((table) => !tables.has(table)),
      [],
    );
    assert.ok(seen.size > 300, `Only ${seen.size} statements were seen`);
    assert.deepEqual([...found].toSorted(), Object.keys(exceptions).toSorted());
  });

  it('every key and every index starts with the book, and every other table has none', async () => {
    const indexes = await engine.read(() =>
      rows<{ table: string; index: string; first: string; primary: number }>(sql`
        SELECT t.relname AS table, i.relname AS index, a.attname AS first, x.indisprimary::int AS primary
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
          LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
        WHERE t.relnamespace = 'public'::regnamespace`),
    );
    const ofBooks = indexes.filter(({ table }) => !otherTables.includes(table));
    const others = ofBooks.filter(({ first }) => first !== 'book_id').map(({ index }) => index);
    assert.deepEqual(others.toSorted(), Object.keys(otherIndexes).toSorted());
    const keyed = indexes.filter(({ primary }) => primary === 1).map(({ table }) => table);
    assert.deepEqual(
      keyed.toSorted(),
      [...new Set([...columns.keys(), ...otherTables])].toSorted(),
    );
  });
});

/** Returns the column of each table with the book of a row: `book_id`, and in `books` its own id. */
async function bookColumns(engine: Engine): Promise<Map<string, string>> {
  const found = await engine.read(() =>
    rows<{ table: string }>(sql`
      SELECT table_name AS table FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'book_id'`),
  );
  return new Map([['books', 'id'], ...found.map(({ table }) => [table, 'book_id'] as const)]);
}

/** Returns the plan of a statement with its values, without executing it. */
async function planOf(engine: Engine, statement: Sql): Promise<PlanNode> {
  const [explained] = await engine.read(() =>
    rows<{ 'QUERY PLAN': string }>(sql`EXPLAIN (VERBOSE, FORMAT JSON) ${statement}`),
  );
  const [{ Plan: plan }] = JSON.parse(explained!['QUERY PLAN']) as [{ Plan: PlanNode }];
  return plan;
}
