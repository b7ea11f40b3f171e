import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { AssetV1 } from './v1.ts';
import type { Static } from 'typebox';

type Asset = Static<typeof AssetV1>;

const { made, send, ok, changes } = await openBooks();
const url = '/v1/assets';
const types =
  'type_name must be one of: cash, credit, investment, other, real estate, loan, vehicle, cryptocurrency, ' +
  'employee compensation';

const create = (body: object) => ok<Asset>('POST', url, { balance: 1, ...body });

async function refused(method: string, path: string, body: object): Promise<string[]> {
  const { status, body: answer } = await send<{ errors: string[] }>(method, path, body);
  assert.deepEqual([status, Object.keys(answer)], [200, ['errors']]);
  return answer.errors;
}

test('assets are created, listed and updated, one version each', async () => {
  const wallet = await create({ type_name: 'cash', name: 'Wallet', balance: '80.12345' });
  const { id, created_at, balance_as_of: asOf } = wallet;
  const none = { subtype_name: null, display_name: null, closed_on: null, institution_name: null };
  assert.deepEqual(wallet, {
    ...{ id, type_name: 'depository', name: 'Wallet', balance: '80.1234', to_base: 80.1234 },
    ...{ balance_as_of: asOf, currency: 'eur', exclude_transactions: false, created_at, ...none },
  });
  const fields = { subtype_name: 'house', display_name: 'Home', institution_name: 'Bank' };
  const all = { ...fields, type_name: 'other', name: 'H', currency: 'usd', balance: -5 };
  const more = { ...all, closed_on: '2026-01-02', exclude_transactions: true };
  const house = await create({ ...more, balance_as_of: '2026-01-01T10:00:00' });
  const times = { balance_as_of: '2026-01-01T10:00:00.000Z', created_at: house.created_at };
  const values = { balance: '-5.0000', to_base: house.to_base, type_name: 'other asset', ...times };
  assert.deepEqual(house, { id: house.id, ...more, ...values });
  const assets = [{ ...wallet, type_name: 'cash' }, house];
  assert.deepEqual(await ok('GET', url), { assets });
  const v2 = await ok<{ status: string }>('GET', `/v2/manual_accounts/${house.id}`);
  assert.equal(v2.status, 'closed');
  made.clock.advance(1000);
  const nulls = Object.fromEntries(Object.keys(more).map((key) => [key, null]));
  const sent = { ...nulls, balance: 7, balance_as_of: 'yesterday', unknown: 1, status: 'x' };
  const updated = await ok<Asset>('PUT', `${url}/${house.id}`, sent);
  assert.ok(updated.balance_as_of > house.created_at);
  const now = { balance_as_of: updated.balance_as_of, to_base: updated.to_base };
  assert.deepEqual(updated, { ...house, ...now, balance: '7.0000' });
  const again = { id, type_name: wallet.type_name, name: 'Purse' };
  const renamed = await ok<Asset>('PUT', `${url}/${id}`, again);
  assert.deepEqual(renamed, { ...wallet, type_name: 'cash', name: 'Purse' });
  const [created, put] = ['createManualAccountV1', 'updateManualAccountV1'];
  assert.deepEqual(await changes(), [created, created, put, put]);
});

test('assets are refused with the texts of v1, and nothing is changed', async () => {
  const { id } = await create({ type_name: 'loan', name: 'Car' });
  await changes();
  const body = { type_name: 'boat', name: 'B', balance: 1 };
  assert.deepEqual(await refused('POST', url, body), [types]);
  assert.deepEqual(await refused('PUT', `${url}/${id}`, { type_name: 'toString' }), [types]);
  assert.deepEqual(await refused('POST', url, { name: '' }), [
    'Missing body property type_name',
    'Missing body property balance',
    'Body property name must be at least 1 character long, not ""',
    'Body property name must be more than blanks, not ""',
  ]);
  const [currency] = await refused('POST', url, { ...body, type_name: 'cash', currency: 'zzz' });
  assert.match(currency!, /^Body property currency must be /);
  const [taken] = await refused('POST', url, { ...body, type_name: 'cash', name: 'cAR' });
  assert.match(taken!, /'cAR', made of institution_name and name, already exists$/);
  const [large] = await refused('PUT', `${url}/${id}`, { balance: `${'9'.repeat(20)}.00001` });
  assert.match(large!, /^Body property balance must be at most /);
  const nothing = ['No valid fields to update for this asset.'];
  assert.deepEqual(await refused('PUT', `${url}/${id}`, { balance: null, x: 1 }), nothing);
  const missing = ['There is no asset with the id: 87654321.'];
  assert.deepEqual(await refused('PUT', `${url}/87654321`, { balance: 1 }), missing);
  assert.deepEqual(await changes(), []);
});
