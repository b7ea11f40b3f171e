import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cryptoAccounts, cryptoBalances } from '../../db/tables.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { ManualCryptoAccount } from './schema.ts';

const { book, send, ok, changes } = await openBooks();
const quantity = '1.500000000000000000';
const at = '2026-03-15T06:30:00.250Z';

function addSynced(status: 'active' | 'relink', to_base: number | null): Promise<object> {
  return book.change(function* (change) {
    const { id, created_at } = yield* change.insert(cryptoAccounts, {
      ...{ provider: 'kraken', status, display_name: 'Mine', last_import: at },
      ...{ created_by_name: 'Ada', sealed_credentials: Buffer.of(1) },
    });
    const asset = { symbol: 'btc', name: 'BTC', coingecko_id: 'bitcoin', quantity };
    const priced = { to_base, price_as_of: to_base === null ? null : at };
    yield* change.insert(cryptoBalances, { account_id: id, ...asset, ...priced, read_at: at });
    return { zabo_account_id: id, created_at };
  });
}

test('crypto lists manual accounts, and each balance of synced accounts', async () => {
  const sent = { name: 'Cold', symbol: 'eth', balance: '0.5', institution_name: 'Safe' };
  const v2 = await ok<ManualCryptoAccount>('POST', '/v2/crypto/manual', sent);
  const active = await addSynced('active', 600_000_000);
  const relink = await addSynced('relink', null);
  const synced = {
    ...{ source: 'synced', name: 'BTC', display_name: null, balance: quantity, balance_as_of: at },
    ...{ currency: 'btc', institution_name: 'kraken' },
  };
  const manual = {
    ...{ id: v2.id, source: 'manual', created_at: v2.created_at, name: 'Cold', display_name: null },
    ...{ balance: '0.500000000000000000', balance_as_of: v2.balance_as_of, currency: 'ETH' },
    ...{ status: 'active', institution_name: 'Safe' },
  };
  assert.deepEqual(await ok('GET', '/v1/crypto'), {
    crypto: [
      manual,
      { ...synced, ...active, to_base: 60_000, status: 'active' },
      { ...synced, ...relink, status: 'error' },
    ],
  });
});

test('a manual crypto account is updated, or refused with the texts of v1', async () => {
  const sent = { name: 'Hot', symbol: 'btc', balance: '1' };
  const v2 = await ok<ManualCryptoAccount>('POST', '/v2/crypto/manual', sent);
  const url = `/v1/crypto/manual/${v2.id}`;
  const same = { currency: 'BTC', name: null, unknown: 1 };
  const display_name = 'A name of more than 25 letters';
  const more = { display_name, institution_name: 'Bank', balance: 2.25 };
  const { id, created_at, name } = v2;
  const updated = { id, source: 'manual', created_at, name, ...more };
  const body = await ok('PUT', url, { ...same, ...more });
  assert.deepEqual(body, { ...updated, balance: '2.250000000000000000' });
  await changes();
  const refusals: [object, string][] = [
    [{ currency: 'fake' }, 'currency is invalid for crypto: fake. It may not be supported yet.'],
    [{ currency: 'eth', name: 'x' }, 'currency of a crypto asset cannot be changed: btc.'],
    [{ ...same, balance: null }, 'No valid fields to update for this crypto asset.'],
    [{ balance: 'x' }, 'Body property balance must be '],
    [{ balance: '9'.repeat(30) }, 'Body property balance must have at most 18 digits before'],
  ];
  for (const [refused, text] of refusals) {
    const answer = await send<{ errors: string[] }>('PUT', url, refused);
    assert.deepEqual([answer.status, Object.keys(answer.body)], [200, ['errors']]);
    assert.ok(answer.body.errors[0]?.startsWith(text), answer.body.errors[0]);
  }
  const missing = ['There is no crypto asset with the id: 8765.'];
  assert.deepEqual((await send('PUT', '/v1/crypto/manual/8765', more)).body, { errors: missing });
  assert.deepEqual(await changes(), []);
});
