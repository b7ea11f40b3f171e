import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { cryptoAccounts, cryptoBalances, manualCryptoAccounts } from '../../db/tables/tables.ts';
import { EngineBook, onEngines } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { createUser } from '../../identity/users/actions.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { noServices } from '../../services.ts';
import { cryptocurrencyOf, pricesOf } from '../prices/actions.ts';
import type { AssetPrice } from '../prices/worth.ts';
import { createManualCrypto, cryptoPriceJob } from './actions.ts';

const asOf = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
const unit = 10n ** 18n;

onEngines('the job for crypto prices', (open) => {
  let euros: EngineBook;
  const requested: string[] = [];
  let read = (_id: string, _currency: string): AssetPrice[] => [];
  const job = cryptoPriceJob({
    ...noServices.assetSource,
    prices: async (ids, currency) => {
      requested.push(`${ids.join()} ${currency}`);
      return ids.flatMap((id) => read(id, currency));
    },
  });
  const runJob = () => job.run(euros.engine, 0, new AbortController().signal);

  before(async () => {
    const dollars = await open();
    const user = { email: 'euros@example.org', name: 'x', bookName: 'x', primaryCurrency: 'eur' };
    euros = new EngineBook(dollars.engine, await dollars.write(() => createUser(user)));
    await euros.change(function* (change) {
      for (const [symbol, quantity] of [
        ['btc', unit],
        ['eth', -unit],
      ] as const) {
        const asset = (yield* cryptocurrencyOf(symbol))!;
        const names = { name: symbol, display_name: null, institution_name: null };
        yield* createManualCrypto(change, { ...names, quantity, asset });
      }
    });
    await dollars.change(function* (change) {
      const account = { provider: 'kraken', status: 'active', created_by_name: 'x' } as const;
      const sealed_credentials = Buffer.of(0);
      const { id } = yield* change.insert(cryptoAccounts, { ...account, sealed_credentials });
      const asset = { account_id: id, quantity: `1.${'0'.repeat(18)}`, read_at: asOf(1) };
      for (const coingecko_id of ['solana', null]) {
        const symbol = coingecko_id ?? 'new';
        yield* change.insert(cryptoBalances, { ...asset, symbol, name: symbol, coingecko_id });
      }
    });
  });

  const state = async () => ({
    version: await euros.version(),
    worth: pick(await euros.rows(manualCryptoAccounts), 'to_base', 'price_as_of'),
  });

  it('reads the prices of held assets and gives manual balances their values, once', async () => {
    const before = await state();
    const none = [null, null];
    assert.deepEqual(before.worth, [none, none]);
    read = (coingecko_id) => [{ coingecko_id, price: '12.5', as_of: asOf(2) }];
    await runJob();
    assert.deepEqual(requested.splice(0), ['bitcoin,ethereum eur', 'solana usd']);
    const worth = [
      [125_000, asOf(2)],
      [-125_000, asOf(2)],
    ];
    const after = await state();
    assert.deepEqual(after, { version: before.version + 1, worth });
    const solana = await euros.read(() => pricesOf('usd', ['solana']));
    assert.equal(solana.get('solana')?.price, '12.5');
    await runJob();
    assert.deepEqual(await state(), after);
  });

  it('continues after a failure of one currency, and then reports it', async () => {
    read = (coingecko_id, currency) => {
      if (currency === 'eur') throw new CryptoRefreshError('unreachable', 'It failed');
      return [{ coingecko_id, price: '13', as_of: asOf(3) }];
    };
    const before = await state();
    await assert.rejects(runJob(), { reason: 'unreachable' });
    assert.deepEqual(await state(), before);
    const solana = await euros.read(() => pricesOf('usd', ['solana']));
    assert.equal(solana.get('solana')?.as_of, asOf(3));
  });
});
