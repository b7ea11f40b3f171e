import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LunchMoneyClient, LunchMoneyError } from '@lunch-money/lunch-money-js-v2';
import type { components } from '@lunch-money/lunch-money-js-v2';
import { held, startProviders } from '../service/crypto-providers.ts';
import { at, isListed, payeesOf, smallBook } from '../service/small-book.ts';
import { manyRows, startService } from '../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, ben } = service;

function clientOf(apiKey: string): LunchMoneyClient {
  return new LunchMoneyClient({ apiKey, baseUrl: `${service.baseUrl}/v2` });
}

const client = clientOf(ada.token);

/** The error of the client. */
async function errorOf(work: Promise<unknown>): Promise<LunchMoneyError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof LunchMoneyError, String(outcome));
  return outcome;
}

test('the official client gets its user', async () => {
  const me = await client.user.getMe();
  assert.equal(me.email, 'ada@example.org');
  assert.equal(me.account_id, ada.bookId);
  assert.equal(me.primary_currency, 'eur');
});

test('it lists transactions, newest first', async () => {
  const { transactions, hasMore } = await client.transactions.getAll();
  assert.deepEqual(
    transactions.map(({ payee }) => payee),
    payeesOf(isListed),
  );
  assert.equal(hasMore, false);
});

test('it reads a long list by limit and offset until has_more is false', async () => {
  const bens = clientOf(ben.token);
  const ids = new Set<number>();
  const limit = 250;
  let pages = 0;
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const { transactions, hasMore } = await bens.transactions.getAll({ limit, offset });
    for (const { id } of transactions) ids.add(id);
    isMore = hasMore;
    pages += 1;
  }
  assert.equal(ids.size, manyRows);
  assert.equal(pages, Math.ceil(manyRows / limit));
});

test('it filters, and includes what lists omit', async () => {
  const { transactions } = await client.transactions.getAll({
    start_date: '2024-03-01',
    end_date: '2024-03-31',
    include_pending: true,
    include_split_parents: true,
    include_group_children: true,
    include_children: true,
    include_metadata: true,
    include_files: true,
  });
  const march = payeesOf(({ date }) => date.startsWith('2024-03'));
  assert.deepEqual(
    transactions.map(({ payee }) => payee),
    march,
  );
  const trip = transactions.find(({ is_group_parent: isGroup }) => isGroup);
  assert.equal(trip?.children?.length, 2);
});

test('it gets one transaction by its id', async () => {
  const { transactions } = await client.transactions.getAll({ limit: 1 });
  const [first] = transactions;
  assert.ok(first);
  const one = await client.transactions.get(first.id);
  assert.equal(one.payee, first.payee);
  assert.deepEqual(one.files, []);
});

test('it gets categories nested, flattened and by id', async () => {
  const nested = await client.categories.getAll();
  const flattened = await client.categories.getAll({ format: 'flattened' });
  assert.equal(flattened.length, smallBook.categories.length);
  const home = nested.find(({ name }) => name === 'Home');
  assert.deepEqual(
    home?.children?.map(({ name }) => name),
    ['Power', 'Rent'],
  );
  for (const { id, name } of flattened) {
    assert.equal((await client.categories.get(id)).name, name);
  }
  const groups = await client.categories.getAll({ is_group: true });
  assert.deepEqual(
    groups.map(({ name }) => name),
    ['Home', 'Empty group'],
  );
});

/** The status, the message and the texts of a refused call. */
async function refusal(work: Promise<unknown>): Promise<[number | undefined, string, string[]]> {
  const { status, message, errors } = await errorOf(work);
  return [status, message, errors.map(({ errMsg }) => errMsg)];
}

const noTag = [404, 'Not Found', ['There is no tag with the id: 987654.']];
const noCategory = [404, 'Not Found', ['There is no category with the id: 987654.']];

test('it creates, gets, lists, updates and deletes tags', async () => {
  const made = await client.tags.create({ name: 'By the client', text_color: 'FFF' });
  assert.deepEqual([made.name, made.text_color, made.archived], ['By the client', 'FFF', false]);
  assert.deepEqual(await client.tags.get(made.id), made);
  assert.deepEqual((await client.tags.getAll()).at(-1), made);
  const { archived_at: archivedAt } = await client.tags.update(made.id, { archived: true });
  assert.ok(typeof archivedAt === 'string');
  const whole = await client.tags.update(made.id, { ...made, description: 'Sent back' });
  assert.deepEqual(whole, { ...made, description: 'Sent back', updated_at: whole.updated_at });
  await client.tags.delete(made.id);
  assert.equal((await client.tags.getAll()).length, smallBook.tags.length);
});

test('it gets the reason why a tag is refused: 400 and 404', async () => {
  const [first, second] = await client.tags.getAll();
  const taken = [400, 'Invalid Request Body', [`Tag with name '${first!.name}' already exists`]];
  assert.deepEqual(await refusal(client.tags.create({ name: first!.name })), taken);
  assert.deepEqual(await refusal(client.tags.update(second!.id, { name: first!.name })), taken);
  assert.equal((await errorOf(client.tags.update(first!.id, {}))).status, 400);
  assert.equal((await errorOf(client.tags.create({ name: '' }))).status, 400);
  assert.deepEqual(await refusal(client.tags.get(987_654)), noTag);
  assert.deepEqual(await refusal(client.tags.update(987_654, { name: 'x' })), noTag);
  assert.deepEqual(await refusal(client.tags.delete(987_654)), noTag);
  assert.deepEqual(await refusal(client.tags.delete(987_654, { force: true })), noTag);
});

test('it gets the dependents of a tag, and deletes it by force', async () => {
  const tag = (await client.tags.getAll()).find(({ name }) => name === 'work');
  const held = payeesOf(({ tags }) => tags.includes(1)).length;
  const { status, data } = await errorOf(client.tags.delete(tag!.id, { force: false }));
  assert.equal(status, 422);
  const dependents = { rules: 0, transactions: held };
  assert.deepEqual(data, { tag_name: 'work', dependents });
  await client.tags.delete(tag!.id, { force: true });
  assert.equal((await errorOf(client.tags.get(tag!.id))).status, 404);
});

test('it creates, gets, updates and deletes categories and groups', async () => {
  const member = await client.categories.create({ name: 'Made', is_income: true });
  const group = await client.categories.create({
    name: 'Made group',
    is_group: true,
    children: [member.id, 'Made by name'],
  });
  assert.deepEqual(
    group.children?.map(({ name }) => name),
    ['Made', 'Made by name'],
  );
  assert.deepEqual(await client.categories.get(group.id), group);
  const left = await client.categories.update(group.id, { children: [member.id] });
  assert.deepEqual(
    left.children?.map(({ id }) => id),
    [member.id],
  );
  const changed = await client.categories.update(member.id, { group_id: null, description: 'x' });
  assert.deepEqual([changed.group_id, changed.description], [null, 'x']);
  for (const { id } of [group, member, group.children[1]!]) await client.categories.delete(id);
  const all = await client.categories.getAll({ format: 'flattened' });
  assert.equal(all.length, smallBook.categories.length);
});

test('it gets the reason why a category is refused: 400 and 404', async () => {
  const [salary, home] = await client.categories.getAll();
  const taken = [400, 'Invalid Request Body', ["Category with name 'Home' already exists"]];
  assert.deepEqual(await refusal(client.categories.create({ name: 'Home' })), taken);
  const rename = client.categories.update(salary!.id, { name: 'Home' });
  assert.deepEqual(await refusal(rename), taken);
  const both = { name: 'Both', is_group: true, group_id: home!.id };
  assert.equal((await errorOf(client.categories.create(both))).status, 400);
  assert.equal((await errorOf(client.categories.update(salary!.id, {}))).status, 400);
  assert.deepEqual(await refusal(client.categories.get(987_654)), noCategory);
  assert.deepEqual(await refusal(client.categories.update(987_654, { name: 'x' })), noCategory);
  assert.deepEqual(await refusal(client.categories.delete(987_654)), noCategory);
  assert.deepEqual(await refusal(client.categories.delete(987_654, { force: true })), noCategory);
});

test('it gets the dependents of a group and a category, and deletes both by force', async () => {
  const [, home] = await client.categories.getAll();
  const none = { budget: 0, category_rules: 0, recurring: 0, plaid_cats: 0 };
  const ofGroup = await errorOf(client.categories.delete(home!.id));
  assert.equal(ofGroup.status, 422);
  assert.deepEqual(ofGroup.data, {
    category_name: 'Home',
    dependents: { ...none, transactions: 0, children: 2 },
  });
  await client.categories.delete(home!.id, { force: true });
  const power = home!.children![0]!;
  const held = payeesOf(({ category }) => category === at.power).length;
  const ofMember = await errorOf(client.categories.delete(power.id));
  assert.deepEqual(ofMember.data, {
    category_name: 'Power',
    dependents: { ...none, transactions: held, children: 0 },
  });
  await client.categories.delete(power.id, { force: true });
  assert.equal((await errorOf(client.categories.get(power.id))).status, 404);
});

/** The client inside the official one, whose types are not published. */
interface RawClient {
  GET(path: string, init?: object): Promise<RawAnswer>;
  POST(path: string, init?: object): Promise<RawAnswer>;
}
interface RawAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: { readonly status: number };
}
const rawClient = client.rawClient as RawClient;
type TheirAccount = components['schemas']['syncedCryptoAccount'];

test('it lists, gets and refreshes synced crypto, by its inner client', async () => {
  const id = await providers.add(service.engine, ada, 'coinbase');
  const params = { path: { id } };
  const refreshed = await rawClient.POST('/crypto/synced/{id}/refresh', { params });
  assert.equal(refreshed.response.status, 200);
  const { balances } = refreshed.data as TheirAccount;
  assert.deepEqual(
    balances.map(({ symbol, balance, to_base: worth }) => [symbol, balance, worth]),
    held.coinbase,
  );
  const list = await rawClient.GET('/crypto/synced');
  assert.deepEqual(list.data, { crypto_synced: [refreshed.data] });
  const one = await rawClient.GET('/crypto/synced/{id}', { params });
  assert.deepEqual(one.data, refreshed.data);
  for (const balance of balances) {
    const path = { id, symbol: balance.symbol };
    const single = await rawClient.GET('/crypto/synced/{id}/{symbol}', { params: { path } });
    assert.deepEqual(single.data, balance);
  }
});

test('it gets the reason why an account cannot be refreshed', async () => {
  const params = { path: { id: await providers.add(service.engine, ada, 'kraken') } };
  const none = { params: { path: { id: 87_654_321 } } };
  const missing = await rawClient.POST('/crypto/synced/{id}/refresh', none);
  assert.equal((missing.error as { message: string }).message, 'Not Found');
  await providers.kraken.fail({ status: 401 });
  const refused = await rawClient.POST('/crypto/synced/{id}/refresh', { params });
  await providers.kraken.fail(null);
  assert.equal(refused.response.status, 502);
  const { data } = await rawClient.GET('/crypto/synced/{id}', { params });
  assert.equal((data as TheirAccount).status, 'relink');
});

test('it understands refusals: 400, 401 and 404', async () => {
  const tooMany = await errorOf(client.transactions.getAll({ limit: 5000 }));
  assert.equal(tooMany.status, 400);
  assert.match(tooMany.errors[0]?.errMsg ?? '', /limit/);

  const stranger = await errorOf(clientOf('a-token-of-nobody').user.getMe());
  assert.deepEqual(
    [stranger.status, stranger.message, stranger.errors[0]?.errMsg],
    [401, 'Unauthorized', 'Access token does not exist.'],
  );

  const missing = await errorOf(client.transactions.get(987_654));
  assert.deepEqual(
    [missing.status, missing.message, missing.errors[0]?.errMsg],
    [404, 'Not Found', 'There is no transaction with the id: 987654.'],
  );
});

test('it understands 429', async () => {
  const own = await startService();
  const eager = new LunchMoneyClient({ apiKey: own.ada.token, baseUrl: `${own.baseUrl}/v2` });
  for (let hit = 0; hit < 100; hit += 1) await eager.user.getMe();
  const refused = await errorOf(eager.user.getMe());
  assert.deepEqual([refused.status, refused.message], [429, 'Too Many Requests']);
  await own.close();
});

test('requests for missing operations get the same error format', async () => {
  for (const work of [
    client.plaidAccounts.triggerFetch(),
    client.recurringItems.getAll(),
    client.transactions.delete(1),
  ]) {
    const { status, errors } = await errorOf(work);
    assert.ok(status === 404 || status === 405, String(status));
    assert.ok(errors.length > 0);
  }
});
