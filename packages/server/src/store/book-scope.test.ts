import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Book } from '../records/identity.ts';
import type { ImportEntry } from '../records/import.ts';
import type { Store } from '../records/store.ts';
import { rows } from './engine.ts';
import type { Engine } from './engine.ts';
import { fill, withIds } from './filled-model.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { openPostgres } from './postgres.ts';
import { createStore } from './store.ts';
import { bookArbitrary, queryArbitrary } from './store-model.ts';
import { postgresPrograms, startPostgres } from './testing/postgres-server.ts';
import type { PostgresServer } from './testing/postgres-server.ts';
import { recordingEngine } from './testing/recording-engine.ts';
import type { RecordingEngine } from './testing/recording-engine.ts';
import { tablesOf, unscopedInsert, unscopedScans } from './testing/scoped-plan.ts';
import type { PlanNode } from './testing/scoped-plan.ts';

const seed = 9;
const nowIso = '2026-01-01T00:00:00.000Z';
const hash = createHash('sha256').update('a token').digest();

/** What reads or writes a table of books without the book, and why it may. */
const exceptions: Readonly<Record<string, string>> = {
  'authenticate access_tokens': 'a token is found by its hash: it says what the book is',
  'authenticate books': 'the book that the token is for',
  'touchToken access_tokens': 'the token that was found by its hash a moment ago',
  'readiness books': 'any row shows that rows can be read; none is given away',
  'createUser books': 'the book is made, and has no id before',
  'findBooks books': 'the books of a user, for who runs the command',
  'check transactions': 'the doctor examines all books',
  'check transaction_counts': 'the doctor examines all books',
  'check transaction_tags': 'the doctor examines all books',
};

/** Indexes of tables with a book that do not begin with it. */
const otherIndexes: Readonly<Record<string, string>> = {
  access_tokens_pkey: 'a token is touched by its id, known from its hash',
  access_tokens_token_hash_key: 'a token is found by its hash, before the book is known',
};

/** Tables of which no row is of one book. */
const otherTables = ['books', 'schema_versions', 'users'];

const skip = postgresPrograms() === null && 'missing: postgres';

describe('every record operation is scoped by the book', { skip }, () => {
  let server: PostgresServer;
  let engine: RecordingEngine;
  let columns: ReadonlyMap<string, string>;

  before(async () => {
    server = await startPostgres();
    const url = await server.newDatabase();
    const wait = { connectTimeoutMs: 5000, statementTimeoutMs: 30_000 };
    const postgres = openPostgres({ url, poolSize: 2, maxWaiting: 100, ...wait });
    await migratePostgres(postgres);
    engine = recordingEngine(postgres);
    columns = await bookColumns(engine);
  });
  after(async () => {
    await engine.close();
    await server.stop();
  });

  it('every statement of every operation compares the book of every row with the own one', async () => {
    const book = await performAll(engine);
    const found = new Set<string>();
    const seen = new Set<string>();
    const tables = new Set<string>();
    for (const { operation, step } of engine.recorded.slice()) {
      const table = unscopedInsert(step, columns, book.id);
      if (table !== null) found.add(`${operation} ${table}`);
      if ('insertInto' in step || seen.has(`${operation} ${step.text}`)) continue;
      seen.add(`${operation} ${step.text}`);
      const plan = await planOf(engine, step);
      for (const table of tablesOf(plan)) tables.add(table);
      for (const each of unscopedScans(plan, columns, book.id)) found.add(`${operation} ${each}`);
    }
    assert.deepEqual(
      [...columns.keys()].filter((table) => !tables.has(table)),
      [],
    );
    assert.ok(seen.size > 200, `Only ${seen.size} statements were seen`);
    assert.deepEqual([...found].toSorted(), Object.keys(exceptions).toSorted());
  });

  it('every key and every index begins with the book, and every table but those of no book has it', async () => {
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

/** Which column of a table says what book a row is of: `book_id`, and of `books` its own id. */
async function bookColumns(engine: Engine): Promise<Map<string, string>> {
  const found = await engine.read(() =>
    rows<{ table: string }>(sql`
      SELECT table_name AS table FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'book_id'`),
  );
  return new Map([['books', 'id'], ...found.map(({ table }) => [table, 'book_id'] as const)]);
}

/** How the server would perform a statement with its values, which it may not do here. */
async function planOf(engine: Engine, statement: Sql): Promise<PlanNode> {
  const [explained] = await engine.read(() =>
    rows<{ 'QUERY PLAN': string }>(sql`EXPLAIN (VERBOSE, FORMAT JSON) ${statement}`),
  );
  const [{ Plan: plan }] = JSON.parse(explained!['QUERY PLAN']) as [{ Plan: PlanNode }];
  return plan;
}

/** Performs every operation of the store there is, on the third of three books, and returns that book. */
async function performAll(engine: RecordingEngine): Promise<Book> {
  const store = createStore(engine);
  const newUser = (n: number): Promise<Book> => {
    const name = {
      email: `user${n}@example.org`,
      name: 'U',
      bookName: 'B',
      primaryCurrency: 'usd',
    };
    return store.createUser({ ...name, nowIso });
  };
  engine.operation = 'createUser';
  await newUser(1);
  await newUser(2);
  const book = await newUser(3);
  const [demo] = fc.sample(
    bookArbitrary.filter(({ transactions }) => transactions.length > 40),
    { numRuns: 1, seed },
  );
  engine.operation = 'fillDemo';
  const filled = await fill(store, book, demo!);
  const operations = operationsOf(store, book, filled);
  for (const [name, perform] of Object.entries(operations)) {
    engine.operation = name;
    await perform();
  }
  engine.operation = 'the test';
  return book;
}

type Filled = Awaited<ReturnType<typeof fill>>;

/** Each operation with something to do, in an order in which it has. */
function operationsOf(
  store: Store,
  book: Book,
  filled: Filled,
): Record<keyof Store, () => Promise<unknown>> {
  const { id, userId } = book;
  const token = { userId, bookId: id, hash, label: null, nowIso, expiresAt: null };
  let tokenId = 0;
  let account = 0;
  return {
    createUser: () => Promise.resolve(),
    fillDemo: () => Promise.resolve(),
    createToken: async () => (tokenId = await store.createToken(token)),
    authenticate: async () => assert.ok(await store.authenticate(hash, nowIso)),
    touchToken: () => store.touchToken(tokenId, nowIso),
    listTokens: () => store.listTokens(id),
    listTransactions: () => listAll(store, filled),
    getTransaction: () => store.getTransaction(id, filled.ids.transactions[0]!),
    listCategories: () => store.listCategories(id),
    createCryptoAccount: async () => {
      const sealedCredentials = Uint8Array.of(1);
      const made = { provider: 'kraken', displayName: null, sealedCredentials, nowIso } as const;
      account = await store.createCryptoAccount(id, made);
    },
    listCryptoAccounts: () => store.listCryptoAccounts(id),
    findCryptoConnection: () => store.findCryptoConnection(id, account),
    saveCryptoReading: () => store.saveCryptoReading(id, account, reading),
    setCryptoStatus: () => store.setCryptoStatus(id, account, 'relink', nowIso),
    removeCryptoAccount: () => store.removeCryptoAccount(id, account),
    importEntries: async () => {
      const entries = importedEntries();
      const plan = { entries: () => entries, defaultAccount: null, nowIso, dryRun: false };
      await store.importEntries(id, plan);
      await store.importEntries(id, plan);
    },
    exportBook: async () => Array.fromAsync((await store.exportBook(id)).transactions),
    findBooks: () => store.findBooks('user3@example.org'),
    isEmpty: () => store.isEmpty(),
    readiness: () => store.readiness(),
    check: () => store.check({ repair: false }),
    revokeToken: () => store.revokeToken(id, tokenId, nowIso),
    close: () => Promise.resolve(),
  };
}

/** Pages of all kinds of lists, the second ones too, which are entered at a key that is remembered. */
async function listAll(store: Store, filled: Filled): Promise<void> {
  for (const query of fc.sample(queryArbitrary, { numRuns: 300, seed })) {
    const asked = { ...withIds(filled, query), limit: 1 };
    await store.listTransactions(filled.book.id, asked);
    await store.listTransactions(filled.book.id, { ...asked, offset: 1 });
  }
}

const reading = {
  readAtIso: nowIso,
  balances: ['a', 'b'].map((symbol) => ({
    ...{ symbol, name: symbol, quantity: '1.000000000000000000', coingeckoId: null },
    ...{ toBase: null, priceAsOfIso: null },
  })),
};

/** With and without an id of the bank, an account, and a category; on many days. */
function importedEntries(): ImportEntry[] {
  return Array.from({ length: 130 }, (_, at) => ({
    line: at + 1,
    date: new Date(Date.UTC(2024, 0, 1 + (at % 120))).toISOString().slice(0, 10),
    amount: -at,
    currency: null,
    payee: `P${at}`,
    notes: null,
    category: at % 2 ? 'A category' : null,
    account: at % 3 ? 'An account' : null,
    externalId: at % 5 ? (at < 2 ? 'x'.repeat(75) : `id${at}`) : null,
    ...(at % 7 === 0 && { bankId: { id: `id${at}`, nth: 1, isRepeated: true } }),
  }));
}
