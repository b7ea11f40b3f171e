import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { changing } from '../../changes/changing.ts';
import type { Engine } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { books, cryptoAccounts, cryptoBalances, manualCryptoAccounts } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { CryptoRefreshError, type AssetPrice } from '../crypto/rules.ts';
import { cryptocurrencyOf, pricesOf } from '../cryptocurrencies/actions.ts';
import { noServices } from '../services.ts';
import { createUser } from '../users/actions.ts';
import { createManualCrypto } from './actions.ts';
import { cryptoPriceJob } from './price-job.ts';

const asOf = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
const unit = 10n ** 18n;

for (const { name, skip, open } of usualEngines)
  describe(`the job for crypto prices on ${name}`, { skip }, () => {
    let engine: Engine;
    /** A book in euros with manual balances, and one in dollars with a synced balance. */
    let [euros, dollars] = [0, 0];
    const requested: string[] = [];
    let read = (_id: string, _currency: string): AssetPrice[] => [];
    const job = cryptoPriceJob({
      ...noServices.assetSource,
      prices: async (ids, currency) => {
        requested.push(`${ids.join()} ${currency}`);
        return ids.flatMap((id) => read(id, currency));
      },
    });
    const { signal } = new AbortController();
    const runJob = () => job.run(engine, 0, signal);

    before(async () => {
      engine = await open();
      [euros, dollars] = (await Promise.all(['eur', 'usd'].map(newBook))) as [number, number];
      await change(euros, function* (change) {
        for (const [symbol, quantity] of [
          ['btc', unit],
          ['eth', -unit],
        ] as const) {
          const asset = (yield* cryptocurrencyOf(symbol))!;
          const names = { name: symbol, displayName: null, institutionName: null };
          yield* createManualCrypto(change, { ...names, quantity, asset });
        }
      });
      await change(dollars, function* (change) {
        const { id } = yield* change.insert(cryptoAccounts, {
          ...{ provider: 'kraken', status: 'active', created_by_name: 'x' },
          sealed_credentials: Buffer.of(0),
        });
        for (const [symbol, coingecko_id] of [
          ['sol', 'solana'],
          ['new', null],
        ] as const)
          yield* change.insert(cryptoBalances, {
            ...{
              account_id: id,
              symbol,
              name: symbol,
              quantity: `1.${'0'.repeat(18)}`,
              coingecko_id,
            },
            read_at: asOf(1),
          });
      });
    });

    async function newBook(primaryCurrency: string): Promise<number> {
      const user = { email: `${primaryCurrency}@example.org`, name: 'x', bookName: 'x' };
      return (await engine.write(() => createUser({ ...user, primaryCurrency }))).id;
    }

    function change(bookId: number, work: Parameters<typeof changing>[1]): Promise<unknown> {
      const cause = { bookId, actor: 'test', operation: 'test' };
      return engine.write(() => changing(cause, work));
    }

    async function state() {
      return engine.read(function* () {
        const rows = yield* select(manualCryptoAccounts, { book_id: euros });
        const { version } = (yield* find(books, { id: euros }))!;
        return { version, worth: rows.map((row) => [row.to_base, row.price_as_of]) };
      });
    }

    it('reads the prices of held assets and gives manual balances their values, once', async () => {
      const before = await state();
      const none = [null, null];
      assert.deepEqual(before.worth, [none, none]);
      read = (coingeckoId) => [{ coingeckoId, price: '12.5', asOfIso: asOf(2) }];
      await runJob();
      assert.deepEqual(requested.splice(0), ['bitcoin,ethereum eur', 'solana usd']);
      const worth = [
        [125_000, asOf(2)],
        [-125_000, asOf(2)],
      ];
      const after = await state();
      assert.deepEqual(after, { version: before.version + 1, worth });
      const solana = await engine.read(() => pricesOf('usd', ['solana']));
      assert.equal(solana.get('solana')?.price, '12.5');
      await runJob();
      assert.deepEqual(await state(), after);
    });

    it('continues after a failure of one currency, and then reports it', async () => {
      read = (coingeckoId, currency) => {
        if (currency === 'eur') throw new CryptoRefreshError('unreachable', 'It failed');
        return [{ coingeckoId, price: '13', asOfIso: asOf(3) }];
      };
      const before = await state();
      await assert.rejects(runJob(), { reason: 'unreachable' });
      assert.deepEqual(await state(), before);
      const solana = await engine.read(() => pricesOf('usd', ['solana']));
      assert.equal(solana.get('solana')?.as_of, asOf(3));
    });
  });
