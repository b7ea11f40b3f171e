import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Book } from '../records/identity.ts';
import type { Store } from '../records/store.ts';
import type { TransactionQuery } from '../records/transaction-query.ts';
import { describeCrypto } from './crypto-contract.ts';
import { fill, withIds } from './filled-model.ts';
import type { Filled } from './filled-model.ts';
import { describeImport } from './import-contract.ts';
import { bookArbitrary, listModel, queryArbitrary } from './store-model.ts';

const nowIso = '2026-01-01T00:00:00.000Z';

/** What any engine owes, as a suite: run it with a function that opens an empty store. */
export function storeContract(engine: string, openStore: () => Promise<Store>): void {
  describe(`the store on ${engine}`, () => {
    let store: Store;
    let users = 0;
    before(async () => {
      store = await openStore();
    });
    after(() => store.close());

    const newBook = (): Promise<Book> =>
      store.createUser({
        email: `user${(users += 1)}@example.com`,
        name: 'Someone',
        bookName: 'Book',
        primaryCurrency: 'usd',
        nowIso,
      });

    describePages(() => store, newBook);
    describeImport(() => store, newBook);
    describeIdentity(() => store);
    describeCrypto(() => store, newBook);
  });
}

interface WireTransaction {
  readonly id: number;
  readonly [key: string]: unknown;
}

async function readPage(
  store: Store,
  bookId: number,
  query: TransactionQuery,
): Promise<{ rows: WireTransaction[]; hasMore: boolean }> {
  const page = await store.listTransactions(bookId, query);
  return {
    rows: JSON.parse(`[${page.json.toString()}]`) as WireTransaction[],
    hasMore: page.hasMore,
  };
}

/** Walks a list as a client does: the next offset is the offset plus the limit, until has_more is false. */
async function walk(store: Store, bookId: number, query: TransactionQuery): Promise<number[]> {
  const ids: number[] = [];
  for (let offset = query.offset; ; offset += query.limit) {
    const { rows, hasMore } = await readPage(store, bookId, { ...query, offset });
    assert.ok(rows.length <= query.limit, 'a page has no more rows than its limit');
    ids.push(...rows.map(({ id }) => id));
    if (!hasMore) return ids;
    assert.equal(rows.length, query.limit, 'a page with more behind it is full');
  }
}

function describePages(store: () => Store, newBook: () => Promise<Book>): void {
  it('lists what the model lists: 10,000 walks over generated books, filters and limits', async () => {
    const cases = fc.tuple(
      bookArbitrary,
      fc.array(queryArbitrary, { minLength: 20, maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([demo, queries]) => {
        const filled = await fill(store(), await newBook(), demo);
        for (const query of queries) {
          const expected = listModel(demo, query).map((index) => filled.ids.transactions[index]);
          assert.deepEqual(await walk(store(), filled.book.id, withIds(filled, query)), expected);
        }
      }),
      { numRuns: 500 },
    );
    // Generated parts do not add up to their parents; everything that is derived must agree.
    const findings = await store().check({ repair: false });
    const derived = findings.filter(({ check }) => check !== 'splits');
    assert.deepEqual(derived, []);
  });

  it('answers any offset like the walk does, also past the end', async () => {
    const cases = fc.tuple(bookArbitrary, queryArbitrary, fc.integer({ min: 0, max: 70 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([demo, query, offset]) => {
        const filled = await fill(store(), await newBook(), demo);
        const all = listModel(demo, query).map((index) => filled.ids.transactions[index]);
        const asked = withIds(filled, { ...query, offset });
        const { rows, hasMore } = await readPage(store(), filled.book.id, asked);
        assert.deepEqual(
          rows.map(({ id }) => id),
          all.slice(offset, offset + query.limit),
        );
        assert.equal(hasMore, offset + query.limit < all.length);
      }),
      { numRuns: 300 },
    );
  });

  it('shows every row as it was written, to the last digit and character', async () => {
    await fc.assert(
      fc.asyncProperty(bookArbitrary, async (demo) => {
        const filled = await fill(store(), await newBook(), demo);
        for (const [index, id] of filled.ids.transactions.entries()) {
          const json = await store().getTransaction(filled.book.id, id);
          const shown = JSON.parse(String(json)) as WireTransaction;
          assertShown(shown, filled, index);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('finds no transaction of another book, and no row of it in a list', async () => {
    const [demo] = fc.sample(bookArbitrary, { numRuns: 1, seed: 7 });
    assert.ok(demo);
    const filled = await fill(store(), await newBook(), demo);
    const other = await newBook();
    for (const id of filled.ids.transactions) {
      assert.equal(await store().getTransaction(other.id, id), null);
    }
    const [query] = fc.sample(queryArbitrary, { numRuns: 1, seed: 7 });
    assert.ok(query);
    assert.deepEqual(await walk(store(), other.id, { ...query, includePending: true }), []);
    assert.deepEqual(await store().listCategories(other.id), []);
  });
}

function assertShown(shown: WireTransaction, filled: Filled, index: number): void {
  const row = filled.demo.transactions[index];
  assert.ok(row);
  const { amount, to_base: toBase, payee, original_name, notes, date, currency } = shown;
  assert.equal(BigInt(String(amount).replace('.', '')), BigInt(row.amount));
  assert.match(String(amount), /^-?(0|[1-9][0-9]*)\.[0-9]{4}$/);
  assert.equal(toBase, row.toBase / 10_000);
  // A lone surrogate has no UTF-8 form, and NUL ends a text for some tools: both are told apart here.
  assert.equal(payee, row.payee.toWellFormed());
  assert.deepEqual(
    [original_name, notes, date, currency],
    [row.originalName, row.notes, row.date, row.currency],
  );
  assert.deepEqual(
    shown['tag_ids'],
    row.tags.map((tag) => filled.ids.tags[tag]),
  );
  assert.deepEqual(shown['plaid_metadata'], JSON.parse(row.plaidMetadata ?? 'null'));
  assert.deepEqual(shown['custom_metadata'], JSON.parse(row.customMetadata ?? 'null'));
  assert.deepEqual(shown['files'], []);
  assert.deepEqual(childIds(shown), expectedChildren(filled, index));
}

function childIds(shown: WireTransaction): number[] | undefined {
  return (shown['children'] as WireTransaction[] | undefined)?.map(({ id }) => id);
}

/** Rows that name this one as their group, if it is a group, and as their split parent, if it is one. */
function expectedChildren(filled: Filled, index: number): number[] | undefined {
  const parent = filled.demo.transactions[index];
  if (parent?.isGroupParent !== true && parent?.isSplitParent !== true) return undefined;
  return filled.demo.transactions.flatMap((row, child) => {
    const asMember = parent.isGroupParent && row.groupParent === index ? 1 : 0;
    const asPart = parent.isSplitParent && row.splitParent === index ? 1 : 0;
    return Array.from({ length: asMember + asPart }, () => filled.ids.transactions[child] ?? 0);
  });
}

function describeIdentity(store: () => Store): void {
  const user = {
    email: 'Anna@example.com',
    name: 'Anna',
    bookName: 'Home',
    primaryCurrency: 'eur',
    nowIso,
  };
  const hash = new Uint8Array(32).fill(1);

  it('knows a token by its hash until it is revoked', async () => {
    const book = await store().createUser(user);
    const token = {
      userId: book.userId,
      bookId: book.id,
      hash,
      label: 'desk',
      nowIso,
      expiresAt: null,
    };
    const id = await store().createToken(token);
    const identity = await store().authenticate(hash, nowIso);
    assert.deepEqual(identity?.user, { id: book.userId, email: user.email, name: 'Anna' });
    assert.deepEqual(identity.book, book);
    assert.deepEqual(identity.token, { id, label: 'desk', lastUsedAt: null });
    assert.equal(await store().authenticate(new Uint8Array(32), nowIso), null);
    assert.equal(
      await store().revokeToken(book.id + 1, id, nowIso),
      false,
      'not from another book',
    );
    assert.equal(await store().revokeToken(book.id, id, nowIso), true);
    assert.equal(await store().revokeToken(book.id, id, nowIso), false, 'once');
    assert.equal(await store().authenticate(hash, nowIso), null);
  });

  it('ends a token at the instant it expires, exclusive', async () => {
    const [book] = await store().findBooks('ANNA@EXAMPLE.COM');
    assert.ok(book);
    const expiring = new Uint8Array(32).fill(2);
    const expiresAt = '2026-06-01T00:00:00.000Z';
    await store().createToken({
      userId: book.userId,
      bookId: book.id,
      hash: expiring,
      label: null,
      nowIso,
      expiresAt,
    });
    assert.notEqual(await store().authenticate(expiring, '2026-05-31T23:59:59.999Z'), null);
    assert.equal(await store().authenticate(expiring, expiresAt), null);
  });

  it('notes when a token was used and lists tokens without their secret', async () => {
    const [book] = await store().findBooks(user.email);
    assert.ok(book);
    const [first] = await store().listTokens(book.id);
    assert.ok(first);
    await store().touchToken(first.id, '2026-02-02T02:02:02.222Z');
    const [touched] = await store().listTokens(book.id);
    assert.equal(touched?.lastUsedAt, '2026-02-02T02:02:02.222Z');
    assert.deepEqual(Object.keys(touched), [
      'id',
      'label',
      'createdAt',
      'lastUsedAt',
      'expiresAt',
      'revokedAt',
    ]);
  });

  it('lists the tokens of one book alone', async () => {
    const other = await store().createUser({ ...user, email: 'other@example.com' });
    assert.deepEqual(await store().listTokens(other.id), []);
  });

  it('tells letters beyond ASCII in an e-mail address apart, in whatever order the engine sorts', async () => {
    const book = await store().createUser({ ...user, email: 'ÄNNA@Example.com' });
    assert.deepEqual(await store().findBooks('ÄNNA@example.COM'), [book]);
    assert.deepEqual(await store().findBooks('änna@example.com'), []);
  });

  it('refuses a second user with the same e-mail address in any letter case', async () => {
    await assert.rejects(store().createUser({ ...user, email: 'anna@EXAMPLE.com' }), {
      name: 'EmailTakenError',
    });
  });
}
