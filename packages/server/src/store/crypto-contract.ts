import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { CryptoAccount, CryptoBalance, NewCryptoAccount } from '../records/crypto.ts';
import type { BookExport } from '../records/export.ts';
import type { Book } from '../records/identity.ts';
import type { Store } from '../records/store.ts';

const madeIso = '2026-01-01T00:00:00.000Z';
const readIso = '2026-01-02T03:04:05.678Z';
const laterIso = '2026-01-03T00:00:00.000Z';

const wallet: NewCryptoAccount = {
  provider: 'ethereum',
  displayName: 'Wallet 🪙',
  sealedCredentials: Uint8Array.of(1, 0, 255),
  nowIso: madeIso,
};

const bitcoin: CryptoBalance = {
  symbol: 'btc',
  name: 'BTC',
  quantity: '0.100020003000400050',
  coingeckoId: 'bitcoin',
  toBase: 62_312_800,
  priceAsOfIso: readIso,
};

const unpriced: CryptoBalance = {
  ...bitcoin,
  symbol: '1inch',
  coingeckoId: null,
  toBase: null,
  priceAsOfIso: null,
};

/** A reading of anything that the types and their bounds allow, each symbol once. */
const balancesArbitrary: fc.Arbitrary<CryptoBalance[]> = fc.uniqueArray(
  fc
    .record({
      symbol: fc.stringMatching(/^[0-9a-z]{1,25}$/),
      name: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 45 }),
      units: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String),
      places: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
      coingeckoId: fc.option(fc.string({ minLength: 1, maxLength: 100 })),
      toBase: fc.option(fc.maxSafeInteger()),
    })
    .map(({ units, places, toBase, ...rest }) => ({
      ...rest,
      quantity: `${units}.${String(places).padStart(18, '0')}`,
      toBase,
      priceAsOfIso: toBase === null ? null : readIso,
    })),
  { selector: ({ symbol }) => symbol, maxLength: 20 },
);

/** What any engine owes of synced crypto accounts. */
export function describeCrypto(store: () => Store, newBook: () => Promise<Book>): void {
  const listOf = (book: Book): Promise<CryptoAccount[]> => store().listCryptoAccounts(book.id);
  const versionOf = async (book: Book): Promise<number> =>
    (await whole(store(), book)).book.version;

  /** A book with one account; `save` puts balances into it. */
  const newAccount = async () => {
    const book = await newBook();
    const id = await store().createCryptoAccount(book.id, wallet);
    const save = (...balances: CryptoBalance[]): Promise<CryptoAccount | null> =>
      store().saveCryptoReading(book.id, id, { readAtIso: readIso, balances });
    return { book, id, save };
  };

  it('lists a new crypto account as one that was not read yet, made by the user of the book', async () => {
    const { book, id } = await newAccount();
    const expected: CryptoAccount = {
      id,
      provider: 'ethereum',
      status: 'initializing',
      displayName: 'Wallet 🪙',
      createdByName: 'Someone',
      createdAtIso: madeIso,
      updatedAtIso: madeIso,
      lastImportIso: null,
      balances: [],
    };
    assert.deepEqual(await listOf(book), [expected]);
  });

  it('gives sealed credentials back byte for byte, and by the connection alone', async () => {
    const { book, id } = await newAccount();
    const connection = await store().findCryptoConnection(book.id, id);
    assert.deepEqual(
      [connection?.provider, connection?.status, ...(connection?.sealedCredentials ?? [])],
      ['ethereum', 'initializing', 1, 0, 255],
    );
    assert.doesNotMatch(JSON.stringify(await listOf(book)), /sealed|credential/i);
  });

  it('refuses a crypto account of no book', async () => {
    await assert.rejects(store().createCryptoAccount(2 ** 40, wallet), /no book/);
  });

  it('shows a reading as it was stored, to the last of eighteen places, by symbol', async () => {
    await fc.assert(
      fc.asyncProperty(balancesArbitrary, async (balances) => {
        const { book, save } = await newAccount();
        const saved = await save(...balances);
        const times = { balanceAsOfIso: readIso, updatedAtIso: readIso };
        const expected = balances
          .map((balance) => ({ ...balance, ...times }))
          .sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
        assert.deepEqual(saved?.balances, expected);
        assert.deepEqual(await listOf(book), [saved]);
      }),
      { numRuns: 50 },
    );
  });

  it('puts a reading in the place of all balances and makes the account active', async () => {
    const { book, id, save } = await newAccount();
    await save(bitcoin, unpriced);
    await store().setCryptoStatus(book.id, id, 'relink', madeIso);
    const saved = await save({ ...unpriced, quantity: '7.000000000000000000' });
    const { status, updatedAtIso, lastImportIso, balances = [] } = saved ?? {};
    assert.deepEqual([status, updatedAtIso, lastImportIso], ['active', readIso, readIso]);
    assert.deepEqual(
      balances.map(({ symbol, quantity }) => [symbol, quantity]),
      [['1inch', '7.000000000000000000']],
    );
    assert.deepEqual((await save())?.balances, []);
  });

  const refused: readonly (readonly [what: string, balance: Partial<CryptoBalance>])[] = [
    ...['', '1', '1.0', '.000000000000000001', '01.000000000000000000', '0.0.000000000000000000'],
    ...['-1.000000000000000000', '1.00000000000000000', '1.0000000000000000000', '1e18'],
    ...['1.00000000000000000x', 'x.000000000000000000', '1.000000000000000000\0'],
    ...[' 1.000000000000000000', '+1.000000000000000000', '1,000000000000000000'],
  ].map((quantity) => [`the quantity ${JSON.stringify(quantity)}`, { quantity }] as const);
  for (const [what, balance] of [
    ...refused,
    ['a symbol in capitals', { symbol: 'BTC' }],
    ['an empty symbol', { symbol: '' }],
    ['a symbol of 26 characters', { symbol: 'a'.repeat(26) }],
    ['a worth without the time of its price', { priceAsOfIso: null }],
    ['a worth beyond 2^53 - 1', { toBase: 2 ** 53 }],
  ] as const) {
    it(`takes nothing of a reading with ${what}`, async () => {
      const { book, save } = await newAccount();
      const before = [await save(bitcoin)];
      const version = await versionOf(book);
      await assert.rejects(save(unpriced, { ...bitcoin, ...balance }));
      assert.deepEqual(await listOf(book), before);
      assert.equal(await versionOf(book), version);
    });
  }

  it('takes nothing of a reading that has a symbol twice', async () => {
    const { book, save } = await newAccount();
    const before = [await save(bitcoin)];
    await assert.rejects(save(unpriced, unpriced));
    assert.deepEqual(await listOf(book), before);
  });

  it('leaves the balances of the other accounts alone', async () => {
    const { book, save } = await newAccount();
    const first = await save(bitcoin, unpriced);
    const id = await store().createCryptoAccount(book.id, wallet);
    const reading = {
      readAtIso: laterIso,
      balances: [{ ...unpriced, quantity: bitcoin.quantity }],
    };
    const second = await store().saveCryptoReading(book.id, id, reading);
    assert.equal(second?.balances.length, 1);
    assert.deepEqual(await listOf(book), [first, second]);
    await store().removeCryptoAccount(book.id, id);
    assert.deepEqual(await listOf(book), [first]);
  });

  it('notes how a connection stands and leaves its balances alone', async () => {
    const { book, id, save } = await newAccount();
    const saved = await save(bitcoin);
    assert.equal(await store().setCryptoStatus(book.id, id, 'relink', laterIso), true);
    const noted = { ...saved, status: 'relink', updatedAtIso: laterIso };
    assert.deepEqual(await listOf(book), [noted]);
    assert.equal((await store().findCryptoConnection(book.id, id))?.status, 'relink');
  });

  it('gives the book a new version by each change of a crypto account, and by nothing else', async () => {
    const { book, id, save } = await newAccount();
    const other = await newBook();
    let version = await versionOf(book);
    assert.ok(version > book.version, 'by making one');
    const raises = async (expected: boolean, work: () => Promise<unknown>): Promise<void> => {
      await work();
      const now = await versionOf(book);
      assert.equal(now > version, expected, String(work));
      version = now;
    };
    await raises(true, () => save(bitcoin));
    await raises(true, () => store().setCryptoStatus(book.id, id, 'unsupported', laterIso));
    await raises(false, () => store().setCryptoStatus(book.id, id, 'unsupported', laterIso));
    await raises(false, () => store().setCryptoStatus(book.id, id + 99, 'active', laterIso));
    await raises(false, () => listOf(book));
    await raises(false, () => store().findCryptoConnection(book.id, id));
    await raises(true, () => store().removeCryptoAccount(book.id, id));
    await raises(false, () => store().removeCryptoAccount(book.id, id));
    await raises(false, () => save(bitcoin));
    assert.equal(await versionOf(other), other.version);
  });

  it('forgets a crypto account whole, and never gives its id again', async () => {
    const { book, id, save } = await newAccount();
    await save(bitcoin, unpriced);
    const other = await store().createCryptoAccount(book.id, wallet);
    assert.equal(await store().removeCryptoAccount(book.id, id), true);
    assert.equal(await store().removeCryptoAccount(book.id, id), false);
    assert.equal(await store().findCryptoConnection(book.id, id), null);
    assert.deepEqual(
      (await listOf(book)).map((account) => account.id),
      [other],
    );
    await store().removeCryptoAccount(book.id, other);
    assert.ok((await store().createCryptoAccount(book.id, wallet)) > other);
  });

  it('answers for a crypto account of another book as for one that is not there', async () => {
    const { book, id, save } = await newAccount();
    const before = [await save(bitcoin)];
    const other = await newBook();
    for (const [bookId, account] of [
      [other.id, id],
      [book.id, id + 1_000_000],
    ] as const) {
      const reading = { readAtIso: laterIso, balances: [unpriced] };
      assert.equal(await store().findCryptoConnection(bookId, account), null);
      assert.equal(await store().saveCryptoReading(bookId, account, reading), null);
      assert.equal(await store().setCryptoStatus(bookId, account, 'relink', laterIso), false);
      assert.equal(await store().removeCryptoAccount(bookId, account), false);
    }
    assert.deepEqual(await listOf(other), []);
    assert.deepEqual(await listOf(book), before);
    assert.equal(await versionOf(other), other.version);
  });

  it('shows one whole reading, whoever writes at the same time', async () => {
    const { book, id, save } = await newAccount();
    const readings = Array.from({ length: 30 }, (_, at) =>
      ['aaa', 'bbb', `c${at}`].map((symbol) => {
        const quantity = `${at}.000000000000000000`;
        return { ...bitcoin, symbol, quantity };
      }),
    );
    const writes = readings.map((balances) => save(...balances));
    const removal = store().removeCryptoAccount(book.id, id + 1_000_000);
    const lists = readings.map(() => listOf(book));
    for (const [account] of await Promise.all(lists)) assertWhole(account);
    await Promise.all([...writes, removal]);
    const [last] = await listOf(book);
    assert.equal(last?.balances.length, 3);
    assertWhole(last);
  });

  it('exports crypto accounts with their balances and without their credentials', async () => {
    const { book, save } = await newAccount();
    const saved = await save(bitcoin, unpriced);
    assert.deepEqual((await whole(store(), book)).cryptoAccounts, [saved]);
  });
}

function assertWhole(account: CryptoAccount | undefined): void {
  const quantities = account?.balances.map(({ quantity }) => quantity) ?? [];
  assert.ok(new Set(quantities).size <= 1, quantities.join());
  assert.ok(quantities.length === 0 || quantities.length === 3, quantities.join());
}

/** An export, read to its end so that nothing of it is held. */
async function whole(store: Store, book: Book): Promise<BookExport> {
  const exported = await store.exportBook(book.id);
  await Array.fromAsync(exported.transactions);
  return exported;
}
