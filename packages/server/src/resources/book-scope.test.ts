import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { changing } from '../changes/changing.ts';
import { undo } from '../changes/undo.ts';
import { rows } from '../db/engine.ts';
import type { Engine } from '../db/engine.ts';
import { readiness } from '../db/readiness.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import type { RecordingEngine } from '../db/testing/recording-engine.ts';
import { tablesOf, unscopedInsert, unscopedScans } from '../db/testing/scoped-plan.ts';
import type { PlanNode } from '../db/testing/scoped-plan.ts';
import type { ImportEntry } from '../imports/entry.ts';
import { importEntries } from '../imports/import.ts';
import { jobsOf } from '../jobs/index.ts';
import { importRates } from '../jobs/rates/import-rates.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { RememberedKeys } from '../pages/remembered-keys.ts';
import { fill } from '../pages/testing/filled-book.ts';
import type { Filled } from '../pages/testing/filled-book.ts';
import { bookArbitrary } from '../pages/testing/page-model.ts';
import { archiveAccount, listAccounts, renameAccount } from './accounts/actions.ts';
import { hasCategories, listCategories, renameCategory } from './categories/actions.ts';
import { addConnection, findConnection } from './connections/actions.ts';
import { listConnections, removeConnection } from './connections/actions.ts';
import { linkCryptoAccount, unlinkCryptoAccount } from './crypto/actions.ts';
import { operations } from './index.ts';
import * as sessions from './sessions/actions.ts';
import { everyRequest } from './testing/every-request.ts';
import { fixedServices } from './testing/fixed-services.ts';
import { idsIn } from './testing/ids-in.ts';
import { addSignIn, fixedVisit } from './testing/session-requests.ts';
import type { DayRates } from './currencies/actions.ts';
import { listRecurring } from './recurring/actions.ts';
import { listRules } from './rules/actions.ts';
import * as ruleCommands from './rules/commands.ts';
import { FileStream } from '../wire/responses.ts';
import * as users from './users/actions.ts';
import { advance, disable, dueWebhooks, listWebhooks } from './webhooks/actions.ts';
import { nextStep, settle, takeWebhook } from './webhooks/actions.ts';
import { retryTiming } from './webhooks/rules.ts';
import * as admin from './users/admin.ts';
import type { Book } from './users/identity.ts';
import { newBook } from './users/testing/new-book.ts';

const seed = 9;
const nowIso = '2026-01-01T00:00:00.000Z';
const hash = createHash('sha256').update('a token').digest();

/** Operations that read or write all tables, or one, without comparing the book, with the reasons. */
const exceptions: Readonly<Record<string, string>> = {
  'authenticate access_tokens': 'a token is found by its hash and determines the book',
  'authenticate books': 'the book of the token',
  'touchToken access_tokens': 'the token was found by its hash before',
  'revokeToken access_tokens': 'the token was found in the book before',
  'identityOfSession sessions': 'a session is found by its hash and determines the book',
  'identityOfSession books': 'the book of the session',
  'touchSession sessions': 'the session was found by its hash before',
  'signIn sign_in_links': 'a link is found by its hash and determines the book',
  'signIn books': 'the book of the link, or the first book of the user',
  'signIn sessions': 'the new session, and the one that it replaces, are found by their hashes',
  'getAllSessions sessions': 'the sessions of a user in all books',
  'endSession sessions': 'a session of the user, in any book',
  'signOut sessions': 'a session of the user, in any book',
  'setPassword sessions': 'the sessions of a user in all books end',
  'setPassword sign_in_links': 'the links of a user in all books end',
  'the job search books': 'the books whose derived tables lack a change are filled',
  'the job sessions': 'what has expired is deleted for all users',
  'readiness books': 'any row shows that rows can be read; none is returned',
  'createUser books': 'the book is new and has no id yet',
  'findBooks books': 'the books of a user, for a command',
  'listUsers books': 'the number of books of each user, for the command',
  'booksOf books': 'the books of a user, for the command',
  'createBook books': 'its name is compared with those of the other books of the user',
  'renameBook books': 'its name is compared with those of the other books of the user',
  'removeBook books': 'the last book of a user is not removed',
  check: 'the doctor examines all books',
  importRates: 'new rates change the values of all books',
  'the job change log': 'books with old changes are looked up',
  'the job crypto prices': 'prices are read once for the accounts of all books',
  'the job idempotency keys': 'old keys of all books are deleted',
  'the job import previews import_previews': 'the expired previews of all books are deleted',
  'the job month ends': 'the balances of all books are recorded',
  'the job recurring suggestions': 'transactions of all books are examined',
  'the job sync': 'the connections of all books are read',
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
  ...['books', 'database_identity', 'job_runs', 'leases', 'rerates', 'schema_versions', 'users'],
  ...['cryptocurrencies', 'cryptocurrency_prices', 'exchange_rates'],
  ...['passkey_challenges', 'passkeys', 'passwords', 'sign_in_failures'],
];

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
    const tables = new Set<string>();
    for (const { operation, step } of engine.recorded.slice()) {
      const table = unscopedInsert(step, columns, book.id);
      if (table !== null) found.add(placeOf(operation, table));
      if ('insertInto' in step) tables.add(step.insertInto);
      if ('insertInto' in step || seen.has(`${operation} ${step.text}`)) continue;
      seen.add(`${operation} ${step.text}`);
      const plan = await planOf(engine, step);
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

/** Performs every operation and every command on the third of three books, and returns that book. */
async function performAll(engine: RecordingEngine): Promise<Book> {
  engine.operation = 'createUser';
  await newBook(engine);
  await newBook(engine);
  const book = await newBook(engine);
  const [demo] = fc.sample(
    bookArbitrary.filter(({ transactions }) => transactions.length > 40),
    { numRuns: 1, seed },
  );
  engine.operation = 'fillDemo';
  const filled = await fill(engine, book, demo!);
  for (const [name, perform] of Object.entries(commandsBefore(engine, book))) {
    engine.operation = name;
    await perform();
  }
  await performOperations(engine, filled);
  for (const job of jobsOf({ ratesUrl: null, historyDays: 1 }, fixedServices, noLog)) {
    engine.operation = `the job ${job.name}`;
    await job.run(engine, Date.parse(nowIso), new AbortController().signal);
  }
  for (const [name, perform] of Object.entries(commandsAfter(engine, book))) {
    engine.operation = name;
    await perform();
  }
  engine.operation = 'the test';
  return book;
}

const noLog = { info: () => undefined, warn: () => undefined };
const rule = {
  ...{ name: 'By a command', conditions: { amount: { min: '1' } } },
  actions: { reviewed: true },
};

let tokenId = 0;
let account = 0;
let imported = 0;
let link = '';
let secretHash: Uint8Array;
let email = '';

/** Commands that create the records that operations need. */
function commandsBefore(
  engine: Engine,
  { id, userId }: Book,
): Record<string, () => Promise<unknown>> {
  const token = { userId, bookId: id, hash, label: null, expiresAt: null };
  const sealedCredentials = Uint8Array.of(1);
  return {
    createToken: async () => (tokenId = await engine.write(() => users.createToken(token))),
    addSignIn: async () => {
      ({ link, secretHash } = await addSignIn(engine, { id, userId }, nowIso));
      const users = sql`SELECT email FROM users WHERE id = ${userId}`;
      email = (await engine.read(() => rows<{ email: string }>(users)))[0]!.email;
    },
    addConnection: () =>
      addConnection(engine, id, { provider: 'simplefin', name: 'Bank', sealedCredentials }),
    linkCryptoAccount: async () => {
      const made = { provider: 'kraken', displayName: null, sealedCredentials } as const;
      account = await linkCryptoAccount(engine, id, made);
    },
    importEntries: async () => {
      const entries = importedEntries();
      imported = (await importEntries(engine, id, importOf(entries))).importId!;
      await importEntries(engine, id, importOf(entries));
    },
  };
}

function commandsAfter(
  engine: Engine,
  { id, userId }: Book,
): Record<string, () => Promise<unknown>> {
  return {
    dueWebhooks: () => engine.read(() => dueWebhooks(Date.parse(nowIso), 'a node', 10)),
    deliveries: () => deliver(engine, id),
    addRule: () => engine.write(() => ruleCommands.addRule(id, rule)),
    rules: async () => {
      const [first] = await engine.read(() => listRules(id));
      await engine.read(() => ruleCommands.namesForRules(id));
      await engine.write(() => ruleCommands.putRulesFirst(id, [first!.id]));
      await engine.write(() => ruleCommands.dropRule(id, first!.id));
    },
    listRecurring: () => engine.read(() => listRecurring(id)),
    importRates: () => {
      const rates: DayRates = new Map([['2025-12-01', new Map([['usd', '1.2']])]]);
      return importRates(engine, { files: [rates], source: 'file', actor: 'command' });
    },
    connections: async () => {
      const [first] = await engine.read(() => listConnections(id));
      await engine.read(() => findConnection(id, first!.id));
      assert.ok(await removeConnection(engine, id, first!.id));
    },
    undo: () => undoAll(engine, id),
    authenticate: async () => assert.ok(await engine.read(() => users.authenticate(hash))),
    touchSession: () => engine.write(() => sessions.touchSession(1)),
    touchToken: () => engine.write(() => users.touchToken(tokenId)),
    listTokens: () => engine.read(() => users.listTokens(id)),
    unlinkCryptoAccount: () => unlinkCryptoAccount(engine, id, account),
    hasCategories: () => engine.read(() => hasCategories(id)),
    findBooks: () => engine.read(() => users.findBooks('user3@example.com')),
    hasNoUser: () => engine.read(users.hasNoUser),
    readiness: () => readiness(engine),
    check: () => checkDatabase(engine, { repair: false }),
    renameToken: () => engine.write(() => admin.renameToken(id, tokenId, 'a label')),
    revokeToken: () => engine.write(() => users.revokeToken(id, tokenId)),
    importAgain: () => importEntries(engine, id, importOf(importedEntries())),
    accounts: async () => {
      const [first] = await engine.read(() => listAccounts(id));
      await engine.write(() => renameAccount(id, first!.id, 'Renamed'));
      await engine.write(() => archiveAccount(id, first!.id, true));
    },
    categories: async () => {
      const [first] = await engine.read(() => listCategories(id));
      await engine.write(() => renameCategory(id, first!.id, 'Another name'));
    },
    listUsers: () => engine.read(admin.listUsers),
    findUser: () => engine.read(() => admin.findUser('user3@example.com')),
    renameUser: () => engine.write(() => admin.renameUser(userId, 'Renamed')),
    booksOf: () => engine.read(() => admin.booksOf(userId)),
    createBook: () =>
      engine.write(() => admin.createBook({ userId, name: 'New', primaryCurrency: 'usd' })),
    renameBook: () => engine.write(() => admin.renameBook(id, 'Renamed')),
    contentsOf: () => engine.read(() => admin.contentsOf(id)),
    // A removal of a user has these statements for each book.
    removeBook: () => engine.write(() => admin.removeBook(id)),
  };
}

/** Delivers an event, and fails to deliver the next. */
async function deliver(engine: Engine, bookId: number): Promise<void> {
  const [webhook] = await engine.read(() => listWebhooks(bookId));
  const key = { bookId, id: webhook!.id };
  const nowMs = Date.parse(nowIso);
  let lease = (await engine.write(() => takeWebhook(key, 'a node', 1000)))!;
  for (const status of [204, 500]) {
    const step = await engine.read(() => nextStep(key, nowMs));
    assert.ok(step.is === 'send');
    const outcome = { status, error: null, retryAfterMs: null, durationMs: 1 };
    const attempt = { key, lease, leaseMs: 1000, ...step, outcome, nowMs };
    ({ lease } = await engine.write(() => settle({ ...attempt, timing: retryTiming, random: 0 })));
    await engine.write(() => advance(webhook!, step.event.to));
  }
  await engine.write(() => disable(key, 'moved', nowIso));
}

/** Undoes all versions, the newest first. */
async function undoAll(engine: Engine, bookId: number): Promise<void> {
  const found = await engine.read(() =>
    rows<{ version: number }>(sql`SELECT version FROM books WHERE id = ${bookId}`),
  );
  const cause = { bookId, actor: 'command', operation: 'undo' };
  for (let version = found[0]!.version; version > 2; version -= 1)
    await engine.write(() => changing(cause, (change) => undo(change, version)));
}

/** Performs requests for each operation. */
async function performOperations(engine: RecordingEngine, filled: Filled): Promise<void> {
  const all = operations(fixedServices);
  const results = new Map<string, readonly number[]>();
  const madeBy = (operation: string, index = 0): number => results.get(operation)![index]!;
  const requests = everyRequest(filled, { synced: account, imported, link, email }, madeBy);
  assert.deepEqual(
    all.map(({ declaration }) => declaration.id).toSorted(),
    Object.keys(requests).toSorted(),
  );
  engine.operation = 'authenticate';
  const token = await engine.read(() => users.authenticate(hash));
  engine.operation = 'identityOfSession';
  const session = await engine.read(() => sessions.identityOfSession(secretHash));
  const identity = { ...token!, session: session!.session };
  const pageKeys = new RememberedKeys(1000);
  const common = { identity, bookId: filled.book.id, pageKeys, visit: fixedVisit };
  for (const [id, each] of Object.entries(requests)) {
    engine.operation = id;
    const operation = all.find(({ declaration }) => declaration.id === id)!;
    const ids: number[] = [];
    for (const request of each()) {
      const sent = { ...common, params: {}, query: {}, body: {}, ...request };
      const result = await operation.run(engine, sent);
      if (result instanceof FileStream) await Array.fromAsync(result.pieces);
      else ids.push(...idsIn(result));
    }
    results.set(id, ids);
  }
}

function importOf(entries: readonly ImportEntry[]): Parameters<typeof importEntries>[2] {
  return { entries: () => entries, defaultAccount: null, dryRun: false };
}

/** Entries with and without a bank's id, an account, and a category, on many days. */
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
