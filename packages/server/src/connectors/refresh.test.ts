import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  book,
  ethereum,
  failureOf,
  ids,
  kraken,
  priceIso,
  startScene,
} from './testing/refresh-scene.ts';
import type { Scene } from './testing/refresh-scene.ts';

describe('a refresh', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
  });
  after(() => scene.close());
  beforeEach(() => scene.reset());

  it('stores the balances with their worth, and makes the account active', async () => {
    const nowIso = new Date(scene.nowMs).toISOString();
    const account = await scene.refresher().refresh(book, ids.kraken);
    assert.deepEqual(account, scene.store.get(book.id, ids.kraken));
    assert.equal(account?.status, 'active');
    assert.equal(account.lastImportIso, nowIso);
    const times = { balanceAsOfIso: nowIso, updatedAtIso: nowIso };
    assert.deepEqual(account.balances, [
      {
        symbol: 'btc',
        name: 'BTC',
        quantity: '0.500000000000000000',
        coingeckoId: 'bitcoin',
        toBase: 325_000_500,
        priceAsOfIso: priceIso,
        ...times,
      },
      {
        symbol: 'new',
        name: 'NEW',
        quantity: '3.000000000000000000',
        coingeckoId: null,
        toBase: null,
        priceAsOfIso: null,
        ...times,
      },
    ]);
    assert.deepEqual(scene.warnings, []);
  });

  it('reads from every provider', async () => {
    const fromCoinbase = await scene.refresher().refresh(book, ids.coinbase);
    assert.deepEqual(
      fromCoinbase?.balances.map(({ symbol, toBase }) => [symbol, toBase]),
      [['sol', 3_000_000]],
    );
    const fromNode = await scene.refresher().refresh(book, ids.ethereum);
    assert.deepEqual(
      fromNode?.balances.map(({ symbol, toBase }) => [symbol, toBase]),
      [['eth', 30_000_000]],
    );
  });

  it('replaces all balances, also by none', async () => {
    scene.servers.kraken.setBalances({});
    const account = await scene.refresher().refresh(book, ids.kraken);
    assert.deepEqual(account?.balances, []);
    scene.servers.kraken.setBalances({ XXBT: '0.5', NEW: '3' });
  });

  it('is null for an account that the book does not have, and asks nobody', async () => {
    const before = scene.servers.kraken.calls.length;
    assert.equal(await scene.refresher().refresh(book, 99), null);
    assert.equal(await scene.refresher().refresh({ ...book, id: 8 }, ids.kraken), null);
    assert.equal(scene.servers.kraken.calls.length, before);
  });

  it('is null for an account that was removed while its provider was asked', async () => {
    const before = scene.servers.kraken.calls.length;
    const release = scene.servers.kraken.hold();
    const refresh = scene.refresher().refresh(book, ids.kraken);
    await scene.servers.kraken.arrived(before + 1);
    scene.store.remove(book.id, ids.kraken);
    release();
    assert.equal(await refresh, null);
  });

  it('is null too when the provider failed and the account was removed meanwhile', async () => {
    for (const fault of ['reset', 'html'] as const) {
      scene.add(book.id, ids.kraken, kraken);
      await scene.servers.kraken.fail(fault);
      const before = scene.servers.kraken.calls.length;
      const release = scene.servers.kraken.hold();
      const refresh = scene.refresher().refresh(book, ids.kraken);
      await scene.servers.kraken.arrived(before + 1);
      scene.store.remove(book.id, ids.kraken);
      release();
      assert.equal(await refresh, null, fault);
    }
    await scene.servers.kraken.fail(null);
  });

  it('shares one call among all refreshes of an account at the same time', async () => {
    const before = scene.servers.kraken.calls.length;
    const release = scene.servers.kraken.hold();
    const shared = scene.refresher();
    const refreshes = Array.from({ length: 50 }, () => shared.refresh(book, ids.kraken));
    await scene.servers.kraken.arrived(before + 1);
    refreshes.push(shared.refresh({ ...book }, ids.kraken));
    release();
    const [first, ...others] = await Promise.all(refreshes);
    for (const other of others) assert.equal(other, first);
    assert.equal(scene.servers.kraken.calls.length, before + 1);
    assert.equal(scene.store.lookUps, 1);
    // The next one is a call of its own.
    await shared.refresh(book, ids.kraken);
    assert.equal(scene.servers.kraken.calls.length, before + 2);
  });

  it('shares a failure too, and asks anew after it', async () => {
    const before = scene.servers.kraken.calls.length;
    await scene.servers.kraken.fail({ status: 503 });
    const shared = scene.refresher();
    const errors = await Promise.all(
      Array.from({ length: 10 }, () => failureOf(shared.refresh(book, ids.kraken))),
    );
    assert.equal(new Set(errors).size, 1);
    assert.equal(scene.servers.kraken.calls.length, before + 1);
    await scene.servers.kraken.fail(null);
    assert.equal((await shared.refresh(book, ids.kraken))?.status, 'active');
  });

  it('shares nothing between accounts, nor between books', async () => {
    const other = { id: 8, primaryCurrency: 'eur' };
    scene.add(other.id, ids.ethereum, ethereum);
    scene.add(book.id, 33, ethereum);
    const before = scene.servers.ethereum.calls.length;
    const shared = scene.refresher();
    const [one, foreign, second] = await Promise.all([
      shared.refresh(book, ids.ethereum),
      shared.refresh(other, ids.ethereum),
      shared.refresh(book, 33),
    ]);
    assert.equal(scene.servers.ethereum.calls.length, before + 3);
    assert.equal(one?.balances[0]?.toBase, 30_000_000);
    assert.equal(second?.id, 33);
    // Nobody has told the price in euros.
    assert.equal(foreign?.balances[0]?.toBase, null);
  });
});
