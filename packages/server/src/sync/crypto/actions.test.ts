import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exportBook } from '../../exports/lists/export.ts';
import { onEnginesAt, type EngineBook } from '../../http/testing/engine-book.ts';
import type { CryptoRefreshReason } from '../../outside/provider-error.ts';
import type { CryptoBalance } from '../prices/worth.ts';
import {
  balancesOf,
  findAccount,
  linkCryptoAccount,
  listAccounts,
  unlinkCryptoAccount,
} from './actions.ts';
import type { NewCryptoAccount } from './actions.ts';
import { statusAfter, type CryptoStatus } from './rules.ts';
import { storeCryptoReading, storeCryptoStatus } from './testing/store-reading.ts';

const madeIso = '2026-01-01T00:00:00.000Z';
const readIso = '2026-01-02T03:04:05.678Z';

const wallet: NewCryptoAccount = {
  provider: 'ethereum',
  display_name: 'Wallet 🪙',
  sealed_credentials: Uint8Array.of(1, 0, 255),
};

const bitcoin: CryptoBalance = {
  symbol: 'btc',
  name: 'BTC',
  quantity: '0.100020003000400050',
  coingecko_id: 'bitcoin',
  to_base: 62_312_800,
  price_as_of: readIso,
};

const unpriced: CryptoBalance = {
  ...bitcoin,
  symbol: '1inch',
  coingecko_id: null,
  to_base: null,
  price_as_of: null,
};

const most: CryptoBalance = {
  ...bitcoin,
  symbol: 'a'.repeat(25),
  name: '~ "',
  coingecko_id: 'x'.repeat(100),
  quantity: `${'9'.repeat(18)}.${'9'.repeat(18)}`,
  to_base: -Number.MAX_SAFE_INTEGER,
};

let readings = 0;
const laterIso = () => new Date(Date.parse(readIso) + (readings += 1)).toISOString();
const now = () => Date.parse(madeIso);

onEnginesAt('synced crypto accounts', now, (open) => {
  const linked = async (book: EngineBook) => {
    const { engine } = book;
    const id = await linkCryptoAccount(engine, book.id, wallet);
    return {
      engine,
      book,
      id,
      list: () => book.read(() => listAccounts(book.id)),
      row: () => book.read(() => findAccount(book.id, id)),
      save: (...balances: CryptoBalance[]) =>
        storeCryptoReading(engine, book.id, id, { readAtIso: laterIso(), balances }),
    };
  };
  const newAccount = async () => linked(await open());

  it('are new until they are read, and created by the user of the book', async () => {
    const { id, list } = await newAccount();
    const [account] = await list();
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
    const { engine, book, list, row, save } = await newAccount();
    assert.deepEqual([...((await row())?.sealed_credentials ?? [])], [1, 0, 255]);
    const saved = await save(bitcoin, unpriced);
    const whole = await exportBook(engine, book.id);
    assert.doesNotMatch(JSON.stringify([await list(), whole]), /sealed|credential/i);
    assert.equal(text(whole.cryptoAccounts), text([saved]));
  });

  it('show a reading as it was stored, with all eighteen decimals, by symbol', async () => {
    const { engine, book, id, list, save } = await newAccount();
    const saved = await save(bitcoin, most, unpriced);
    const rows = await engine.read(function* () {
      return yield* balancesOf((yield* findAccount(book.id, id))!);
    });
    const read_at = saved?.last_import;
    const expected = [unpriced, most, bitcoin].map((balance) => {
      return { ...balance, book_id: book.id, account_id: id, read_at };
    });
    assert.deepEqual(rows, expected);
    assert.equal(text(await list()), text([saved]));
  });

  it('replace all balances by a reading, and are active then', async () => {
    const { engine, book, id, row, save } = await newAccount();
    await save(bitcoin, unpriced);
    await storeCryptoStatus(engine, book.id, id, 'relink');
    const before = await row();
    const saved = await save({ ...unpriced, quantity: '7.000000000000000000' });
    assert.equal(saved?.status, 'active');
    assert.ok(saved.updated_at > before!.updated_at);
    assert.ok(saved.last_import! > before!.last_import!);
    const [{ symbol, balance } = assert.fail(), ...others] = saved.balances;
    assert.deepEqual([symbol, balance, others], ['1inch', '7.000000000000000000', []]);
    assert.deepEqual((await save())?.balances, []);
  });

  it('ignore a reading that is not newer than the stored one', async () => {
    const { engine, book, id, save } = await newAccount();
    const saved = await save(bitcoin);
    const version = await book.version();
    for (const readAtIso of [saved!.last_import!, readIso, '2025-12-31T00:00:00.000Z']) {
      const reading = { readAtIso, balances: [unpriced] };
      assert.equal(text(await storeCryptoReading(engine, book.id, id, reading)), text(saved));
    }
    assert.equal(await book.version(), version);
  });

  it('refuse a whole reading with a wrong quantity, symbol or value', async () => {
    const { book, list, save } = await newAccount();
    const before = [await save(bitcoin)];
    const version = await book.version();
    const quantities = [
      '',
      '1',
      '1.0',
      '.000000000000000001',
      '01.000000000000000000',
      '0.0.000000000000000000',
      '-1.000000000000000000',
      '1.00000000000000000',
      '1.0000000000000000000',
      '1e18',
      '1.00000000000000000x',
      'x.000000000000000000',
      '1.000000000000000000\0',
      ' 1.000000000000000000',
      '+1.000000000000000000',
      '1,000000000000000000',
    ];
    const balances: readonly Partial<CryptoBalance>[] = [
      ...quantities.map((quantity) => ({ quantity })),
      ...['BTC', '', 'a'.repeat(26), unpriced.symbol].map((symbol) => ({ symbol })),
      { price_as_of: null },
      { to_base: 2 ** 53 },
    ];
    for (const balance of balances)
      await assert.rejects(save(unpriced, { ...bitcoin, ...balance }), JSON.stringify(balance));
    assert.deepEqual(await list(), before);
    assert.equal(await book.version(), version);
  });

  it('are deleted completely, their ids never reused, and others left alone', async () => {
    const { engine, book, id, list, row, save } = await newAccount();
    await save(bitcoin, unpriced);
    const second = await linked(book);
    const kept = await second.save({ ...unpriced, quantity: bitcoin.quantity });
    assert.equal(kept?.balances.length, 1);
    const unlink = (account = id, bookId = book.id) => unlinkCryptoAccount(engine, bookId, account);
    assert.equal(await unlink(id, (await open()).id), false, 'of another book');
    assert.deepEqual([await unlink(), await unlink()], [true, false]);
    assert.equal(await row(), undefined);
    assert.equal(await save(bitcoin), null);
    assert.equal(text(await list()), text([kept]));
    await unlink(second.id);
    assert.ok((await linked(book)).id > second.id);
  });
});

/** As in a response: JSON numbers can have more digits than a double holds. */
function text(value: unknown): string {
  return JSON.stringify(value);
}

it('a failed reading changes the status only if the key or the account is the cause', () => {
  const statuses: Readonly<Record<CryptoRefreshReason, CryptoStatus | null>> = {
    unreachable: null,
    timeout: null,
    rateLimited: null,
    unconfigured: null,
    refused: 'relink',
    unsupported: 'unsupported',
    nonsense: null,
  };
  for (const [reason, status] of Object.entries(statuses)) {
    assert.equal(statusAfter(reason as CryptoRefreshReason), status, reason);
    // Only nonsense is counted: the third reading in a row makes an account unsupported.
    for (const [count, after] of [
      [2, status],
      [3, reason === 'nonsense' ? 'unsupported' : status],
      [100, reason === 'nonsense' ? 'unsupported' : status],
    ] as const)
      assert.equal(statusAfter(reason as CryptoRefreshReason, count), after, `${reason} ${count}`);
  }
});
