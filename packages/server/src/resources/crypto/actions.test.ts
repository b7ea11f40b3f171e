import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { exportBook } from '../transactions/export/export.ts';
import type { BookExport } from '../transactions/export/export.ts';
import { createUser } from '../users/actions.ts';
import type { Book } from '../users/identity.ts';
import {
  balancesOf,
  findAccount,
  linkCryptoAccount,
  listAccounts,
  unlinkCryptoAccount,
} from './actions.ts';
import type { NewCryptoAccount } from './actions.ts';
import type { CryptoBalance } from './rules.ts';
import type { SyncedCryptoAccount } from './schema.ts';
import { storeCryptoReading, storeCryptoStatus } from './testing/store-reading.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const madeIso = '2026-01-01T00:00:00.000Z';
const readIso = '2026-01-02T03:04:05.678Z';

const wallet: NewCryptoAccount = {
  provider: 'ethereum',
  displayName: 'Wallet 🪙',
  sealedCredentials: Uint8Array.of(1, 0, 255),
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

/** Any reading that the types and their bounds allow, with unique symbols. */
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

for (const kind of usualEngines) {
  describe(`synced crypto accounts on ${kind.name}`, { skip: kind.skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await kind.open(() => Date.parse(madeIso));
    });

    let users = 0;
    const newBook = (): Promise<Book> => {
      const user = { name: 'Someone', bookName: 'B', primaryCurrency: 'usd' };
      return engine.write(() => createUser({ ...user, email: `${(users += 1)}@example.com` }));
    };
    const listOf = (book: Book) => engine.read(() => listAccounts(book.id));
    const rowOf = (bookId: number, id: number) => engine.read(() => findAccount(bookId, id));
    const versionOf = async (book: Book) => (await whole(book)).book.version;
    /** An export, read to its end so that it holds no connection. */
    const whole = async (book: Book): Promise<BookExport> => {
      const exported = await exportBook(engine, book.id);
      await Array.fromAsync(exported.transactions);
      return exported;
    };

    let readings = 0;
    /** Creates a book with one account; `save` stores balances by a newer reading each time. */
    const newAccount = async () => {
      const book = await newBook();
      const id = await linkCryptoAccount(engine, book.id, wallet);
      const save = (...balances: CryptoBalance[]) =>
        storeCryptoReading(engine, book.id, id, { readAtIso: laterIso(), balances });
      return { book, id, save };
    };
    const laterIso = () => new Date(Date.parse(readIso) + (readings += 1)).toISOString();

    it('are new until they are read, and created by the user of the book', async () => {
      const { book, id } = await newAccount();
      const [account] = await listOf(book);
      const at = account?.created_at ?? '';
      assert.ok(at > madeIso && at < readIso);
      assert.deepEqual(account, {
        id,
        provider: 'ethereum',
        status: 'initializing',
        created_by_name: 'Someone',
        created_at: at,
        updated_at: at,
        last_import: null,
        display_name: 'Wallet 🪙',
        balances: [],
      });
    });

    it('keep sealed credentials byte for byte, and never show them', async () => {
      const { book, id, save } = await newAccount();
      const row = await rowOf(book.id, id);
      assert.deepEqual([...(row?.sealed_credentials ?? [])], [1, 0, 255]);
      const saved = await save(bitcoin, unpriced);
      const shown = JSON.stringify([await listOf(book), await whole(book)]);
      assert.doesNotMatch(shown, /sealed|credential/i);
      assert.equal(text((await whole(book)).cryptoAccounts), text([saved]));
    });

    it('need a book', async () => {
      await assert.rejects(linkCryptoAccount(engine, 2 ** 40, wallet), /no book/);
    });

    it('show a reading as it was stored, with all eighteen decimals, by symbol', async () => {
      await fc.assert(
        fc.asyncProperty(balancesArbitrary, async (balances) => {
          const { book, id, save } = await newAccount();
          const saved = await save(...balances);
          const row = await rowOf(book.id, id);
          const rows = await engine.read(() => balancesOf(row!));
          const read_at = saved?.last_import;
          const expected = balances.map(({ coingeckoId, toBase, priceAsOfIso, ...same }) => {
            const worth = { coingecko_id: coingeckoId, to_base: toBase, price_as_of: priceAsOfIso };
            return { book_id: book.id, account_id: id, ...same, ...worth, read_at };
          });
          assert.deepEqual(
            rows.map((each) => ({ ...each })),
            expected.sort((a, b) => (a.symbol < b.symbol ? -1 : 1)),
          );
          assert.equal(text(await listOf(book)), text([saved]));
        }),
        { numRuns: runs(50) },
      );
    });

    it('replace all balances by a reading, and are active then', async () => {
      const { book, id, save } = await newAccount();
      await save(bitcoin, unpriced);
      await storeCryptoStatus(engine, book.id, id, 'relink');
      const before = await rowOf(book.id, id);
      const saved = await save({ ...unpriced, quantity: '7.000000000000000000' });
      assert.equal(saved?.status, 'active');
      assert.ok(saved.updated_at > before!.updated_at);
      assert.ok(saved.last_import! > before!.last_import!);
      assert.deepEqual(
        saved.balances.map(({ symbol, balance }) => [symbol, balance]),
        [['1inch', '7.000000000000000000']],
      );
      assert.deepEqual((await save())?.balances, []);
    });

    it('ignore a reading that is not newer than the stored one', async () => {
      const { book, id, save } = await newAccount();
      const saved = await save(bitcoin);
      const version = await versionOf(book);
      for (const readAtIso of [saved!.last_import!, readIso, '2025-12-31T00:00:00.000Z']) {
        const reading = { readAtIso, balances: [unpriced] };
        assert.equal(text(await storeCryptoReading(engine, book.id, id, reading)), text(saved));
      }
      assert.equal(await versionOf(book), version);
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
      ['a value without the time of its price', { priceAsOfIso: null }],
      ['a value above 2^53 - 1', { toBase: 2 ** 53 }],
    ] as const) {
      it(`refuse a whole reading with ${what}`, async () => {
        const { book, save } = await newAccount();
        const before = [await save(bitcoin)];
        const version = await versionOf(book);
        await assert.rejects(save(unpriced, { ...bitcoin, ...balance }));
        assert.deepEqual(await listOf(book), before);
        assert.equal(await versionOf(book), version);
      });
    }

    it('refuse a whole reading with a repeated symbol', async () => {
      const { book, save } = await newAccount();
      const before = [await save(bitcoin)];
      await assert.rejects(save(unpriced, unpriced));
      assert.deepEqual(await listOf(book), before);
    });

    it('do not change balances of other accounts', async () => {
      const { book, save } = await newAccount();
      const first = await save(bitcoin, unpriced);
      const id = await linkCryptoAccount(engine, book.id, wallet);
      const balances = [{ ...unpriced, quantity: bitcoin.quantity }];
      const second = await storeCryptoReading(engine, book.id, id, {
        readAtIso: laterIso(),
        balances,
      });
      assert.equal(second?.balances.length, 1);
      assert.equal(text(await listOf(book)), text([first, second]));
      await unlinkCryptoAccount(engine, book.id, id);
      assert.equal(text(await listOf(book)), text([first]));
    });

    it('change their status without their balances', async () => {
      const { book, id, save } = await newAccount();
      const saved = await save(bitcoin);
      assert.equal(await storeCryptoStatus(engine, book.id, id, 'relink'), true);
      const [noted] = await listOf(book);
      assert.ok(noted!.updated_at > saved!.updated_at);
      const { updated_at } = noted!;
      assert.equal(text(noted), text({ ...saved, status: 'relink', updated_at }));
    });

    it('raise the version of the book by each change, and by nothing else', async () => {
      const { book, id, save } = await newAccount();
      const other = await newBook();
      let version = await versionOf(book);
      assert.equal(version, book.version + 1, 'by linking one');
      const raises = async (by: number, work: () => Promise<unknown>): Promise<void> => {
        await work();
        const now = await versionOf(book);
        assert.equal(now, version + by, String(work));
        version = now;
      };
      const note = (account: number) => storeCryptoStatus(engine, book.id, account, 'unsupported');
      await raises(1, () => save(bitcoin));
      await raises(1, () => save(bitcoin, unpriced));
      await raises(1, () => note(id));
      await raises(0, () => note(id));
      await raises(0, () => note(id + 99));
      await raises(0, () => listOf(book));
      await raises(1, () => unlinkCryptoAccount(engine, book.id, id));
      await raises(0, () => unlinkCryptoAccount(engine, book.id, id));
      await raises(0, () => save(bitcoin));
      assert.equal(await versionOf(other), other.version);
    });

    it('are deleted completely, and their ids never reused', async () => {
      const { book, id, save } = await newAccount();
      await save(bitcoin, unpriced);
      const other = await linkCryptoAccount(engine, book.id, wallet);
      assert.equal(await unlinkCryptoAccount(engine, book.id, id), true);
      assert.equal(await unlinkCryptoAccount(engine, book.id, id), false);
      assert.equal(await rowOf(book.id, id), undefined);
      assert.deepEqual(
        (await listOf(book)).map((account) => account.id),
        [other],
      );
      await unlinkCryptoAccount(engine, book.id, other);
      assert.ok((await linkCryptoAccount(engine, book.id, wallet)) > other);
    });

    it('do not exist for another book', async () => {
      const { book, id, save } = await newAccount();
      const before = [await save(bitcoin)];
      const other = await newBook();
      for (const [bookId, account] of [
        [other.id, id],
        [book.id, id + 1_000_000],
      ] as const) {
        const reading = { readAtIso: laterIso(), balances: [unpriced] };
        assert.equal(await rowOf(bookId, account), undefined);
        assert.equal(await storeCryptoReading(engine, bookId, account, reading), null);
        assert.equal(await storeCryptoStatus(engine, bookId, account, 'relink'), false);
        assert.equal(await unlinkCryptoAccount(engine, bookId, account), false);
      }
      assert.deepEqual(await listOf(other), []);
      assert.equal(text(await listOf(book)), text(before));
      assert.equal(await versionOf(other), other.version);
    });

    it('show one whole reading while others are written', async () => {
      const { book, id, save } = await newAccount();
      const all = Array.from({ length: 30 }, (_, at) =>
        ['aaa', 'bbb', `c${at}`].map((symbol) => {
          const quantity = `${at}.000000000000000000`;
          return { ...bitcoin, symbol, quantity };
        }),
      );
      const writes = all.map((balances) => save(...balances));
      const removal = unlinkCryptoAccount(engine, book.id, id + 1_000_000);
      const lists = all.map(() => listOf(book));
      for (const [account] of await Promise.all(lists)) assertWhole(account);
      await Promise.all([...writes, removal]);
      const [last] = await listOf(book);
      assert.equal(last?.balances.length, 3);
      assertWhole(last);
    });
  });
}

/** As in a response: JSON numbers can have more digits than a double holds. */
function text(value: unknown): string {
  return JSON.stringify(value);
}

function assertWhole(account: SyncedCryptoAccount | undefined): void {
  const quantities = account?.balances.map(({ balance }) => balance) ?? [];
  assert.ok(new Set(quantities).size <= 1, quantities.join());
  assert.ok(quantities.length === 0 || quantities.length === 3, quantities.join());
}
