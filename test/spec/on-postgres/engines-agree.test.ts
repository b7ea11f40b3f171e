import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import sql from 'sql-template-tag';
import type { CryptoReading } from '../../../packages/server/src/records/crypto.ts';
import type { DemoBook } from '../../../packages/server/src/records/demo/demo-book.ts';
import { ImportRefusedError } from '../../../packages/server/src/records/import.ts';
import type { ImportEntry } from '../../../packages/server/src/records/import.ts';
import { run } from '../../../packages/server/src/store/engine.ts';
import { fill, withIds, type Filled } from '../../../packages/server/src/store/filled-model.ts';
import { chooseEngine, sqlite } from '../engine.ts';
import { missing, startPostgresEngine } from '../postgres-engine.ts';
import { addToken, importedAt, startService, type Service, type User } from '../started-service.ts';
import { wildBook, wildEntries, wildQuery, wireQuery } from './wild-book.ts';

const seed = Number(process.env['COFFER_SPEC_SEED'] ?? 4);
const books = 30;
const pagesOfBook = 100;
const atOnce = 8;
const most = 2 ** 53 - 1;

/** A service, with the book that is compared. */
interface Side {
  readonly service: Service;
  readonly agent: Agent;
  readonly user: User;
}

/** Does the same on both engines, and asserts that the same comes of it. */
async function alike<T>(sides: readonly Side[], what: string, work: (side: Side) => Promise<T>) {
  const [one, other] = await Promise.all(sides.map(work));
  assert.deepEqual(other, one, what);
  return one as T;
}

/** Whatever of an answer does not tell the time or the quota. */
async function answerOf({ service, agent, user }: Side, target: string) {
  const answer = await service.ask(target, { as: user, agent, from: '127.0.0.1' });
  const { etag, 'content-type': type, 'content-length': length } = answer.lines;
  return { status: answer.status, text: answer.text, etag, type, length };
}

async function addBook({ service }: Side, n: number, name: string) {
  const email = `book${n}@example.org`;
  const owner = { email, name, bookName: `${name} ${n}`, primaryCurrency: n % 2 ? 'usd' : 'eur' };
  const { id: bookId, userId } = await service.store.createUser({ ...owner, nowIso: importedAt });
  return { name, email, bookId, userId };
}

/** Adds what no method of the store makes: files, and recurring items. */
async function addUnmade({ service, user }: Side, { ids }: Filled, texts: readonly string[]) {
  const engine = service.openEngine();
  await engine.write(function* () {
    for (const [at, text] of texts.entries()) {
      const id = ids.transactions[at * 2];
      if (id === undefined) return;
      yield* run(sql`
        INSERT INTO transaction_files (book_id, transaction_id, uploaded_by, name, type, size, notes, created_at)
        VALUES (${user.bookId}, ${id}, ${user.userId}, ${text}, ${`image/${text}`}, ${most - at},
          ${at % 2 ? text : null}, ${importedAt})`);
      yield* run(sql`
        UPDATE transactions SET recurring_id = 99 WHERE book_id = ${user.bookId} AND id = ${id}`);
    }
  });
  await engine.close();
}

/** No id twice, which would be refused: PostgreSQL does not give out again the ids of what it took back. */
function withOwnIds(entries: readonly ImportEntry[]): ImportEntry[] {
  return entries.map((entry) => {
    const { externalId, line } = entry;
    return { ...entry, externalId: externalId === null ? null : `${externalId}${line}` };
  });
}

/** What an import gives, or what is wrong with the file. */
async function importOf({ service, user }: Side, entries: readonly ImportEntry[]) {
  const plan = { entries: () => entries, defaultAccount: 'N', nowIso: importedAt, dryRun: false };
  try {
    return await service.store.importEntries(user.bookId, plan);
  } catch (error) {
    if (error instanceof ImportRefusedError) return error.problems;
    throw error;
  }
}

async function exportOf({ service, user }: Side) {
  const { transactions, ...records } = await service.store.exportBook(user.bookId);
  return { records, transactions: await Array.fromAsync(transactions) };
}

async function addCrypto({ service, user }: Side, name: string, toBase: number): Promise<number> {
  const { store } = service;
  const id = await store.createCryptoAccount(user.bookId, {
    ...{ provider: 'kraken', displayName: name, nowIso: importedAt },
    sealedCredentials: Uint8Array.from([0, 92, 120, 255]),
  });
  const balance = { quantity: `${2n ** 80n}.000000000000000001`, priceAsOfIso: importedAt, toBase };
  const balances = ['btc', '1inch', 'a'].map((symbol) => ({
    ...balance,
    ...{ symbol, name: symbol.toUpperCase(), coingeckoId: null },
  }));
  const reading: CryptoReading = { readAtIso: importedAt, balances };
  await store.saveCryptoReading(user.bookId, id, reading);
  await store.setCryptoStatus(user.bookId, id, 'relink', importedAt);
  return id;
}

/** Compares the answers to each of those targets, and counts those with status 200, and those of them with rows. */
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

/** Starts a service on each engine. What is under way when one fails is closed too. */
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

interface Counted {
  pages: number;
  filled: number;
  others: number;
  rows: number;
}

/** Makes the same book on both, and compares everything that can be asked about it. */
async function compareBook(started: readonly Side[], n: number, demo: DemoBook, counted: Counted) {
  const name = demo.categories[0]!.name;
  const user = await alike(started, 'a user', (side) => addBook(side, n, name));
  const sides = await Promise.all(
    started.map(async (side): Promise<Side> => {
      const token = await addToken(side.service.store, user);
      return { ...side, user: { ...user, token } };
    }),
  );
  const filled = await alike(sides, `ids of book ${n}`, async ({ service }) => {
    const [book] = await service.store.findBooks(user.email);
    return fill(service.store, book!, demo);
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
    ...['/v2/me', '/v2/categories', '/v2/categories?format=flattened', '/v2/crypto'],
    ...['/v2/crypto/synced', `/v2/crypto/synced/${crypto}`, `/v2/crypto/synced/${crypto}/a`],
    ...[...whole.records.categories, { id: most }].map(({ id }) => `/v2/categories/${id}`),
    ...whole.transactions.slice(0, 25).map(({ id }) => `/v2/transactions/${id}`),
  ]);
  counted.pages += pages.ok;
  counted.filled += pages.filled;
  counted.others += others.ok;
  counted.rows += whole.transactions.length;
}

test(
  `3,000 generated pages and all other answers are equal byte for byte on both engines (seed ${seed})`,
  {
    skip: missing,
  },
  async (t) => {
    const sides = await startBoth(t);
    await alike(sides, 'ids of the users', ({ service: { ada, ben } }) =>
      Promise.resolve([ada.bookId, ada.userId, ben.bookId, ben.userId]),
    );
    const counted: Counted = { pages: 0, filled: 0, others: 0, rows: 0 };
    for (const [n, demo] of fc.sample(wildBook, { numRuns: books, seed }).entries())
      await compareBook(sides, n, demo, counted);
    const refused = fc.sample(wildEntries, { numRuns: 200, seed });
    for (const each of refused) await alike(sides, 'import', (side) => importOf(side, each));
    const { pages, filled, others, rows } = counted;
    t.diagnostic(`${pages} pages, ${filled} with rows, ${others} other answers, ${rows} rows`);
    assert.equal(pages, books * pagesOfBook);
    assert.ok(filled > pages / 4, 'Most pages are empty');
  },
);
