import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Static } from 'typebox';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { ManualAccount } from './schema.ts';
import type { AssetV1 } from '../../v1/accounts.ts';

const { made, send, ok, status, refused, changes, ben } = await openBooks();
const url = '/v2/manual_accounts';
const today = '2023-11-14';

const create = (body: object) => ok<ManualAccount>('POST', url, body);
const update = (id: number, body: object) => ok<ManualAccount>('PUT', `${url}/${id}`, body);
const pathsOf = async (...request: Parameters<typeof refused>) =>
  pick(await refused(...request), 'instancePath').toSorted();

test('an account is created, listed, found, updated and deleted, one version each', async () => {
  const body = { name: 'API created Account', type: 'cash', balance: '100' };
  const { status: created, body: minimal } = await send<ManualAccount>('POST', url, body);
  assert.equal(created, 201);
  const { id, created_at: at } = minimal;
  assert.equal(at.slice(0, 10), today);
  assert.deepEqual(minimal, {
    id,
    name: 'API created Account',
    institution_name: null,
    display_name: null,
    type: 'cash',
    subtype: null,
    balance: '100.0000',
    currency: 'eur',
    to_base: 100,
    balance_as_of: at,
    status: 'active',
    closed_on: null,
    external_id: null,
    custom_metadata: null,
    exclude_from_transactions: false,
    created_by_name: 'ada',
    created_at: at,
    updated_at: at,
  });
  const names = { name: 'Loan', institution_name: 'Bank', display_name: 'Car' };
  const fields = {
    ...names,
    type: 'loan',
    subtype: 'car',
    currency: 'usd',
    status: 'closed',
    closed_on: '2024-10-01',
    external_id: '',
    custom_metadata: { a: [1, 'b'] },
    exclude_from_transactions: true,
  };
  const full = await create({ ...fields, balance: -12.34565, balance_as_of: '2024-10-12' });
  const { id: fullId, created_by_name, created_at, updated_at, ...rest } = full;
  assert.deepEqual([created_by_name, created_at === updated_at], ['ada', true]);
  assert.ok(fullId > id);
  const money = { balance: '-12.3456', to_base: 0, balance_as_of: '2024-10-12T00:00:00.000Z' };
  assert.deepEqual(rest, { ...fields, ...money }, 'a rate from usd to eur is not known');
  const one = await send<ManualAccount>('GET', `${url}/${id}`);
  assert.deepEqual(one.body, minimal);
  assert.deepEqual((await send('GET', url)).body, { manual_accounts: [minimal, full] });
  await update(id, one.body);
  assert.equal((await send('GET', `${url}/${id}`)).etag, one.etag, 'nothing differs');
  const updated = await update(id, { ...one.body, name: 'B', id: 'x', to_base: [], created_at: 1 });
  assert.deepEqual(updated, { ...minimal, name: 'B', updated_at: updated.updated_at });
  assert.ok(updated.updated_at > at);
  assert.deepEqual(await changes(), [
    'createManualAccount',
    'createManualAccount',
    'updateManualAccount',
  ]);
  await ok('DELETE', `${url}/${full.id}?delete_items=true`);
  for (const method of ['GET', 'DELETE'])
    assert.equal(await status(method, `${url}/${full.id}`), 404);
  assert.deepEqual(await changes(), ['deleteManualAccount']);
});

test('names that accounts are shown by are unique, with the keys of the API', async () => {
  const brokerage = { name: 'Individual Brokerage', institution_name: 'Fidelity' };
  const first = await create({ ...brokerage, type: 'investment', balance: 1 });
  const existing_name = 'Individual Brokerage';
  const existing = { existing_manual_account_id: first.id, existing_name };
  const [implicit] = await refused('POST', url, { ...brokerage, type: 'cash', balance: 1 });
  assert.deepEqual(implicit, {
    errMsg: implicit!['errMsg'],
    instancePath: '/body/name',
    ...existing,
    requested_name: 'Individual Brokerage',
    requested_institution_name: 'Fidelity',
    existing_institution_name: 'Fidelity',
  });
  const card = { name: 'Card', type: 'credit', balance: '1' };
  const display_name = ' fidelity individual BROKERAGE';
  const [explicit] = await refused('POST', url, { ...card, display_name });
  assert.deepEqual(explicit, {
    errMsg: explicit!['errMsg'],
    instancePath: '/body/display_name',
    ...existing,
    requested_name: 'Card',
    requested_display_name: display_name,
    existing_display_name: 'Fidelity Individual Brokerage',
  });
  const shown = await create({ ...card, display_name: 'Shown' });
  await refused('PUT', `${url}/${first.id}`, { display_name: 'shown' });
  await refused('PUT', `${url}/${first.id}`, { name: 'Shown', institution_name: null });
  assert.equal((await create({ ...card, display_name: ' ' })).display_name, null);
  await refused('PUT', `${url}/${shown.id}`, { display_name: null });
  await update(shown.id, { display_name: 'shown', type: 'cash' });
  assert.equal((await update(first.id, { name: 'Other' })).institution_name, 'Fidelity');
});

test('a closed account has a day of closing, and no other account', async () => {
  const base = { type: 'cash', balance: 0 };
  const open = { ...base, name: 'c', closed_on: '2024-10-15' };
  assert.deepEqual(await pathsOf('POST', url, open), ['/body/closed_on']);
  const { id } = await create({ ...base, name: 'c', closed_on: null });
  const at = `${url}/${id}`;
  const closing = async (body: object) => {
    const account = await update(id, body);
    return [account.status, account.closed_on];
  };
  await refused('PUT', at, { closed_on: '2024-10-15' });
  await refused('PUT', at, { status: 'active', closed_on: '2024-10-15' });
  await refused('PUT', at, { status: 'closed', closed_on: true });
  await refused('PUT', at, { status: 'closed', closed_on: '2024-02-30' });
  assert.deepEqual(await closing({ status: 'closed', closed_on: null }), ['closed', today]);
  const instant = '2024-10-01T01:00:00+02:00';
  assert.deepEqual(await closing({ closed_on: instant }), ['closed', '2024-09-30']);
  assert.deepEqual(await closing({ status: 'closed' }), ['closed', '2024-09-30']);
  assert.deepEqual(await closing({ closed_on: null }), ['closed', '2024-09-30']);
  await refused('PUT', at, { status: 'active', closed_on: '2024-09-30' });
  assert.deepEqual(await closing({ status: 'active' }), ['active', null]);
});

test('a new balance is as of now unless a time is sent, and a time alone does nothing', async () => {
  const asOf = '2024-01-02T03:04:05.000Z';
  const { id } = await create({ name: 'm', type: 'cash', balance: 1, balance_as_of: asOf });
  assert.equal((await update(id, { balance_as_of: '2020-01-01' })).balance_as_of, asOf);
  made.clock.advance(1000);
  const now = await update(id, { balance: '1' });
  assert.equal(now.balance_as_of, now.updated_at);
  const set = await update(id, { balance: 2.5, balance_as_of: '2020-01-01' });
  const money = [set.balance, set.to_base, set.balance_as_of];
  assert.deepEqual(money, ['2.5000', 2.5, '2020-01-01T00:00:00.000Z']);
  const foreign = await update(id, { currency: 'usd' });
  assert.deepEqual([foreign.balance, foreign.to_base], ['2.5000', 0]);
  assert.equal(foreign.balance_as_of, '2020-01-01T00:00:00.000Z');
  assert.equal((await update(id, { currency: 'eur' })).to_base, 2.5);
  const cleared = await update(id, { custom_metadata: { a: 1 }, external_id: 'x', subtype: 's' });
  assert.deepEqual(cleared.custom_metadata, { a: 1 });
  const none = await update(id, { custom_metadata: null, external_id: null, subtype: null });
  assert.deepEqual([none.custom_metadata, none.external_id, none.subtype], [null, null, null]);
});

test('everything wrong with a request is refused at once, and nothing changes', async () => {
  const missing = await refused('POST', url, {});
  const texts = ['name', 'type', 'balance'].map((name) => `Missing body property ${name}`);
  assert.deepEqual(pick(missing, 'errMsg'), texts);
  const long = { a: 'x'.repeat(4096) };
  const taken = { name: 'API', type: 'cash', balance: 1, display_name: 'API' };
  const { id } = await create(taken);
  const all = { ...taken, balance: 1e15, custom_metadata: long, closed_on: '2024-01-01' };
  const paths = ['balance', 'closed_on', 'custom_metadata', 'display_name'];
  const places = paths.map((name) => `/body/${name}`);
  assert.deepEqual(await pathsOf('POST', url, all), places);
  const [empty] = await refused('PUT', `${url}/${id}`, { id, to_base: 1, created_by_name: 'x' });
  assert.match(String(empty!['errMsg']), /at least one of: name, institution_name, .*as_of/);
  for (const bad of [
    { balance: '1.23456' },
    { balance: '9'.repeat(400) },
    { balance: -1e300 },
    { balance_as_of: 'now' },
    { balance_as_of: null, balance: 1 },
    { closed_on: 20240101 },
    { custom_metadata: { a: '\0' } },
    { type: 'depository' },
    { name: ' ' },
  ])
    await refused('PUT', `${url}/${id}`, bad);
  const odd = { '\0': 1, '\ud800': 2, constructor: {} };
  assert.deepEqual((await update(id, { custom_metadata: odd })).custom_metadata, odd);
});

type Asset = Static<typeof AssetV1>;

const assetsUrl = '/v1/assets';
const types =
  'type_name must be one of: cash, credit, investment, other, real estate, loan, vehicle, cryptocurrency, ' +
  'employee compensation';

const createAsset = (body: object) => ben.ok<Asset>('POST', assetsUrl, { balance: 1, ...body });

async function refusedV1(method: string, path: string, body: object): Promise<string[]> {
  const { status, body: answer } = await ben.send<{ errors: string[] }>(method, path, body);
  assert.deepEqual([status, Object.keys(answer)], [200, ['errors']]);
  return answer.errors;
}

test('assets are created, listed and updated, one version each', async () => {
  const wallet = await createAsset({ type_name: 'cash', name: 'Wallet', balance: '80.12345' });
  const { id, created_at, balance_as_of: asOf } = wallet;
  const none = { subtype_name: null, display_name: null, closed_on: null, institution_name: null };
  assert.deepEqual(wallet, {
    id,
    type_name: 'depository',
    name: 'Wallet',
    balance: '80.1234',
    to_base: 80.1234,
    balance_as_of: asOf,
    currency: 'eur',
    exclude_transactions: false,
    created_at,
    ...none,
  });
  const fields = { subtype_name: 'house', display_name: 'Home', institution_name: 'Bank' };
  const all = { ...fields, type_name: 'other', name: 'H', currency: 'usd', balance: -5 };
  const more = { ...all, closed_on: '2026-01-02', exclude_transactions: true };
  const house = await createAsset({ ...more, balance_as_of: '2026-01-01T10:00:00' });
  const times = { balance_as_of: '2026-01-01T10:00:00.000Z', created_at: house.created_at };
  const values = { balance: '-5.0000', to_base: house.to_base, type_name: 'other asset', ...times };
  assert.deepEqual(house, { id: house.id, ...more, ...values });
  const assets = [{ ...wallet, type_name: 'cash' }, house];
  assert.deepEqual(await ben.ok('GET', assetsUrl), { assets });
  const v2 = await ben.ok<{ status: string }>('GET', `/v2/manual_accounts/${house.id}`);
  assert.equal(v2.status, 'closed');
  made.clock.advance(1000);
  const nulls = Object.fromEntries(Object.keys(more).map((key) => [key, null]));
  const sent = { ...nulls, balance: 7, balance_as_of: 'yesterday', unknown: 1, status: 'x' };
  const updated = await ben.ok<Asset>('PUT', `${assetsUrl}/${house.id}`, sent);
  assert.ok(updated.balance_as_of > house.created_at);
  const now = { balance_as_of: updated.balance_as_of, to_base: updated.to_base };
  assert.deepEqual(updated, { ...house, ...now, balance: '7.0000' });
  const again = { id, type_name: wallet.type_name, name: 'Purse' };
  const renamed = await ben.ok<Asset>('PUT', `${assetsUrl}/${id}`, again);
  assert.deepEqual(renamed, { ...wallet, type_name: 'cash', name: 'Purse' });
  const [created, put] = ['createManualAccountV1', 'updateManualAccountV1'];
  assert.deepEqual(await ben.changes(), [created, created, put, put]);
});

test('assets are refused with the texts of v1, and nothing is changed', async () => {
  const { id } = await createAsset({ type_name: 'loan', name: 'Car' });
  await ben.changes();
  const body = { type_name: 'boat', name: 'B', balance: 1 };
  assert.deepEqual(await refusedV1('POST', assetsUrl, body), [types]);
  assert.deepEqual(await refusedV1('PUT', `${assetsUrl}/${id}`, { type_name: 'toString' }), [
    types,
  ]);
  assert.deepEqual(await refusedV1('POST', assetsUrl, { name: '' }), [
    'Missing body property type_name',
    'Missing body property balance',
    'Body property name must be at least 1 character long, not ""',
    'Body property name must be more than blanks, not ""',
  ]);
  const [currency] = await refusedV1('POST', assetsUrl, {
    ...body,
    type_name: 'cash',
    currency: 'zzz',
  });
  assert.match(currency!, /^Body property currency must be /);
  const [taken] = await refusedV1('POST', assetsUrl, { ...body, type_name: 'cash', name: 'cAR' });
  assert.match(taken!, /'cAR', made of institution_name and name, already exists$/);
  const [large] = await refusedV1('PUT', `${assetsUrl}/${id}`, {
    balance: `${'9'.repeat(20)}.00001`,
  });
  assert.match(large!, /^Body property balance must be at most /);
  const nothing = ['No valid fields to update for this asset.'];
  assert.deepEqual(await refusedV1('PUT', `${assetsUrl}/${id}`, { balance: null, x: 1 }), nothing);
  const missing = ['There is no asset with the id: 87654321.'];
  assert.deepEqual(await refusedV1('PUT', `${assetsUrl}/87654321`, { balance: 1 }), missing);
  assert.deepEqual(await ben.changes(), []);
});
