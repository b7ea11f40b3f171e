import { addRecurring } from '../../../packages/server/src/ledger/recurring/items.ts';
import { createUser, findBooks } from '../../../packages/server/src/identity/users/actions.ts';
import { importEntries, type ImportSummary } from '../../../packages/server/src/imports/commit.ts';
import { exportBook } from '../../../packages/server/src/exports/lists/export.ts';
import { exportedTransactions } from '../../../packages/server/src/exports/lists/testing/exported.ts';
import { linkCryptoAccount } from '../../../packages/server/src/sync/crypto/actions.ts';
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import sql from 'sql-template-tag';
import type { CryptoReading } from '../../../packages/server/src/sync/crypto/rules.ts';
import { Problem } from '../../../packages/server/src/operations/problem.ts';
import { ImportRefusedError } from '../../../packages/server/src/imports/entry.ts';
import type { ImportEntry } from '../../../packages/server/src/imports/entry.ts';
import {
  storeCryptoReading,
  storeCryptoStatus,
} from '../../../packages/server/src/sync/crypto/testing/store-reading.ts';
import { run } from '../../../packages/server/src/db/engine.ts';
import { fill, withIds } from '../../../packages/server/src/pages/testing/filled-book.ts';
import type { Filled } from '../../../packages/server/src/pages/testing/filled-book.ts';
import { idOf } from '../../service/json-requests.ts';
import type { Answer } from '../../service/http-exchange.ts';
import { oddObject } from '../../service/odd-bodies.ts';
import { chooseEngine, sqlite } from '../../service/engine.ts';
import type { Book } from '../../service/small-book.ts';
import { missing, startPostgresEngine } from '../../service/postgres-engine.ts';
import { addToken } from '../../service/owners.ts';
import { importedAt, type User } from '../../service/service-books.ts';
import { startService, type Service } from '../../service/started-service.ts';
import { wildBook, wildEntries, wildQuery, wireQuery } from '../../service/wild-book.ts';
import { isLong, runs } from '../../../packages/core/src/testing/length.ts';

const seed = Number(process.env['COFFER_SPEC_SEED'] ?? 4);
const books = isLong ? 10 : 3;
const pagesOfBook = isLong ? 100 : 40;
const atOnce = 8;
const writes = runs(60);
const most = 2 ** 53 - 1;

/** A service with the compared book. */
interface Side {
  readonly service: Service;
  readonly agent: Agent;
  readonly user: User;
}

/** Performs the same on both engines, and asserts that the results are equal. */
async function alike<T>(sides: readonly Side[], what: string, work: (side: Side) => Promise<T>) {
  const [one, other] = await Promise.all(sides.map(work));
  assert.deepEqual(other, one, what);
  return one as T;
}

/** The parts of a response that do not depend on the time or the quota. */
async function answerOf({ service, agent, user }: Side, target: string) {
  const ask = () => service.ask(target, { as: user, agent, from: '127.0.0.1' });
  let answer = await ask();
  // A statement of PostgreSQL may take three seconds, which a busy machine exceeds: "try again later".
  for (let again = 0; answer.status === 503 && again < 20; again += 1) answer = await ask();
  const { etag, 'content-type': type, 'content-length': length } = answer.lines;
  // The ETag depends on the database.
  return { status: answer.status, text: answer.text, tags: etag?.length, type, length };
}

async function addBook({ service }: Side, n: number, name: string) {
  const email = `book${n}@example.org`;
  const owner = { email, name, bookName: `${name} ${n}`, primaryCurrency: n % 2 ? 'usd' : 'eur' };
  const { id: bookId, userId } = await service.engine.write(() => createUser({ ...owner }));
  return { name, email, bookId, userId };
}

/** Adds files with texts and sizes that operations refuse, and links rows to a recurring item that they do not fit. */
async function addUnmade({ service, user }: Side, { ids }: Filled, texts: readonly string[]) {
  const { bookId, userId } = user;
  const criteria = { amount: '1', quantity: 1, anchor_date: '2024-01-01' };
  await service.engine.write(function* () {
    const { id: item } = yield* addRecurring(bookId, userId, {
      transaction_criteria: { ...criteria, granularity: 'month', payee: 'No payee has this name' },
    });
    for (const [at, text] of texts.entries()) {
      const id = ids.transactions[at * 2];
      if (id === undefined) return;
      yield* run(sql`
        INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, notes, created_at)
        VALUES (${bookId}, ${id}, ${userId}, ${text}, ${`image/${text}`}, ${most - at},
          ${at % 2 ? text : null}, ${importedAt})`);
      yield* run(sql`
        UPDATE transactions SET recurring_id = ${item} WHERE book_id = ${bookId} AND id = ${id}`);
    }
  });
}

/** Ids are unique, or the import would be refused: PostgreSQL does not reuse ids after a rollback. */
function withOwnIds(entries: readonly ImportEntry[]): ImportEntry[] {
  return entries.map((entry) => {
    const { externalId, line, amount } = entry;
    // Small enough that no sum is larger than any amount, which would be refused, too.
    const small = Math.trunc(amount / 1_000_000);
    const own = externalId === null ? null : `${externalId}${line}`;
    return { ...entry, amount: small, externalId: own };
  });
}

/** The result of an import, or the problems of the file. */
async function importOf({ service, user }: Side, entries: readonly ImportEntry[]) {
  const plan = { entries: () => entries, defaultAccount: 'N', dryRun: false };
  try {
    return withoutIds(await importEntries(service.engine, user.bookId, plan));
  } catch (error) {
    if (error instanceof ImportRefusedError) return error.problems;
    // A balance would be too large. Accounts may have other ids now: see above.
    if (error instanceof Problem) return error.details.length;
    throw error;
  }
}

/** After an import that was rolled back, only PostgreSQL leaves out its ids. */
function withoutIds({ importId: _, doubtful, ...summary }: ImportSummary) {
  return { ...summary, doubtful: doubtful.entries.map(({ knownId: _id, ...rest }) => rest) };
}

async function exportOf({ service, user }: Side) {
  const book = await exportBook(service.engine, user.bookId);
  return {
    records: { ...book, transactions: null },
    transactions: await exportedTransactions(book),
  };
}

async function addCrypto({ service, user }: Side, name: string, to_base: number): Promise<number> {
  const { engine } = service;
  const id = await linkCryptoAccount(engine, user.bookId, {
    provider: 'kraken',
    display_name: name,
    sealed_credentials: Uint8Array.from([0, 92, 120, 255]),
  });
  const balance = { quantity: `${2n ** 80n}.000000000000000001`, price_as_of: importedAt, to_base };
  const balances = ['btc', '1inch', 'a'].map((symbol) => ({
    ...balance,
    symbol,
    name: symbol.toUpperCase(),
    coingecko_id: null,
  }));
  const reading: CryptoReading = { readAtIso: importedAt, balances };
  await storeCryptoReading(engine, user.bookId, id, reading);
  await storeCryptoStatus(engine, user.bookId, id, 'relink');
  return id;
}

/** Compares the responses for all targets. Counts those with status 200, and those of them with rows. */
async function compareAll(sides: readonly Side[], targets: readonly string[]) {
  const found = { ok: 0, filled: 0 };
  for (let from = 0; from < targets.length; from += atOnce) {
    const compared = targets.slice(from, from + atOnce).map(async (target) => {
      const { status, text } = await alike(sides, target, (side) => answerOf(side, target));
      if (status !== 200) return;
      found.ok += 1;
      if (!text.startsWith('{"transactions":[]')) found.filled += 1;
    });
    await Promise.all(compared);
  }
  return found;
}

/** Starts a service on each engine. If one fails, the other is closed. */
async function startBoth(t: TestContext): Promise<Side[]> {
  const postgres = await startPostgresEngine();
  t.after(() => postgres.stop());
  const sides: Side[] = [];
  for (const engine of [sqlite, postgres]) {
    chooseEngine(engine);
    const service = await startService({ rateLimit: '1000000000/24h' });
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
    t.after(async () => {
      agent.destroy();
      await service.close();
    });
    sides.push({ service, agent, user: service.ada });
  }
  return sides;
}

/** A response without instants and ids, which differ between two databases. */
function comparable({ status, text }: Answer) {
  const plain = text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
    .replaceAll(/"(id|group_id)":\d+/g, '"$1":0');
  return { status, text: plain };
}

/** Creates, changes and deletes tags and categories with odd bodies, and compares the results. */
async function compareWrites(sides: readonly Side[], path: string): Promise<number> {
  let made = 0;
  const bodies = fc.sample(fc.tuple(oddObject, oddObject), { numRuns: writes, seed });
  const same = (what: string, ask: (side: Side) => Promise<Answer>) =>
    alike(sides, `${path} ${what.slice(0, 300)}`, async (side) => comparable(await ask(side)));
  for (const [first, second] of bodies) {
    const ids = new Map<Side, string>();
    const headers = ['Content-Type', 'application/json'];
    const send = (side: Side, method: string, target: string, body?: string): Promise<Answer> => {
      const { service, user, agent } = side;
      return service.ask(target, { method, as: user, agent, ...(body && { headers, body }) });
    };
    const { status } = await same(first, async (side) => {
      const answer = await send(side, 'POST', path, first);
      if (answer.status === 201) ids.set(side, `${path}/${idOf(answer)}`);
      return answer;
    });
    await same('list', (side) => send(side, 'GET', path));
    if (status !== 201) continue;
    made += 1;
    await same(second, (side) => send(side, 'PUT', ids.get(side)!, second));
    await same('record', (side) => send(side, 'GET', ids.get(side)!));
    // Half of them stay, so that some names are in use.
    if (made % 2) await same('gone', (side) => send(side, 'DELETE', ids.get(side)!));
  }
  return made;
}

/** Creates the same book on both engines, and compares all requests for it. Counts those that found something. */
async function compareBook(started: readonly Side[], n: number, demo: Book) {
  const name = demo.categories[0]!.name;
  const user = await alike(started, 'a user', (side) => addBook(side, n, name));
  const sides = await Promise.all(
    started.map(async (side): Promise<Side> => {
      const token = await addToken(side.service.engine, user);
      return { ...side, user: { ...user, token } };
    }),
  );
  const filled = await alike(sides, `ids of book ${n}`, async ({ service }) => {
    const [book] = await service.engine.readStatement(() => findBooks(user.email));
    return fill(service.engine, book!, demo);
  });
  const texts = demo.transactions.map(({ payee }) => payee);
  await alike(sides, 'files', (side) => addUnmade(side, filled, texts.slice(0, 20)));
  const entries = fc.sample(wildEntries, { numRuns: 2, seed: seed + n }).map(withOwnIds);
  for (const each of [...entries, ...entries])
    await alike(sides, `import into book ${n}`, (side) => importOf(side, each));
  const whole = await alike(sides, `export of book ${n}`, exportOf);
  const crypto = await alike(sides, 'crypto', (side) =>
    addCrypto(side, name, n % 2 ? most : -most),
  );
  const queries = fc.sample(wildQuery, { numRuns: pagesOfBook, seed: seed + n });
  const pages = await compareAll(
    sides,
    queries.map((query) => `/v2/transactions?${wireQuery(withIds(filled, query))}`),
  );
  const others = await compareAll(sides, [
    '/v2/me',
    '/v2/categories',
    '/v2/categories?format=flattened',
    '/v2/tags',
    '/v2/manual_accounts',
    '/v2/plaid_accounts',
    '/v2/budgets/settings',
    '/v2/crypto/manual',
    '/v2/summary?start_date=2024-01-01&end_date=2024-02-29',
    '/v2/cryptocurrencies',
    '/v2/recurring_items?start_date=2024-01-01&end_date=2024-02-29',
    '/v2/balance_history',
    '/coffer/rules',
    '/coffer/budget_settings',
    '/coffer/recurring_items',
    '/v2/crypto/synced',
    `/v2/crypto/synced/${crypto}`,
    `/v2/crypto/synced/${crypto}/a`,
    ...[...whole.records.categories, { id: most }].map(({ id }) => `/v2/categories/${id}`),
    ...[...whole.records.tags, { id: most }].map(({ id }) => `/v2/tags/${id}`),
    ...whole.transactions.slice(0, 25).map(({ id }) => `/v2/transactions/${id}`),
  ]);
  return { pages, others: others.ok, rows: whole.transactions.length };
}

test(
  `${books * pagesOfBook} generated pages and all other responses are equal byte for byte on both engines (seed ${seed})`,
  { skip: missing },
  async (t) => {
    const sides = await startBoth(t);
    await alike(sides, 'ids of the users', ({ service: { ada, ben } }) =>
      Promise.resolve([ada.bookId, ada.userId, ben.bookId, ben.userId]),
    );
    let [pages, filled] = [0, 0];
    for (const [n, demo] of fc.sample(wildBook, { numRuns: books, seed }).entries()) {
      const found = await compareBook(sides, n, demo);
      pages += found.pages.ok;
      filled += found.pages.filled;
      t.diagnostic(`Book ${n}: ${found.others} other responses, ${found.rows} rows`);
    }
    for (const path of ['/v2/tags', '/v2/categories']) {
      const made = await compareWrites(sides, path);
      assert.ok(made > writes / 10, `Only ${made} were created by ${path}`);
    }
    const refused = fc.sample(wildEntries, { numRuns: runs(200), seed });
    for (const each of refused) await alike(sides, 'import', (side) => importOf(side, each));
    t.diagnostic(`${pages} pages, ${filled} with rows`);
    assert.equal(pages, books * pagesOfBook);
    assert.ok(filled > pages / 4, 'Most pages are empty');
  },
);
