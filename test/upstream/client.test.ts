import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LunchMoneyClient } from '@lunch-money/lunch-money-js-v2';
import { vendorOperations } from '../../packages/server/src/http/testing/vendor-document.ts';
import { isListed, payeesOf, smallBook } from '../service/small-book.ts';
import { manyRows, startService } from '../service/started-service.ts';
import { testAccounts } from './client/accounts.ts';
import { testAttachments } from './client/attachments.ts';
import { testCryptoAndHistory } from './client/crypto-and-history.ts';
import { errorOf, parts, startClient } from './client/started-client.ts';
import { testRefusals } from './client/refusals.ts';
import { testTagsAndCategories } from './client/tags-and-categories.ts';
import { testTransactions } from './client/transactions.ts';

/*
 * Every method of the vendor's client, and every path of its document. Each response is also compared with the vendor's
 * document.
 */

const started = await startClient();
const { service, client, clientOf, methods, operations } = started;
const { ada, ben } = service;

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
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const { transactions, hasMore } = await bens.transactions.getAll({ limit, offset });
    for (const { id } of transactions) ids.add(id);
    isMore = hasMore;
  }
  assert.equal(ids.size, manyRows);
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
});

test('it gets categories nested, flattened and by id', async () => {
  const nested = await client.categories.getAll();
  const home = nested.find(({ name }) => name === 'Home')!;
  assert.deepEqual(
    home.children?.map(({ name }) => name),
    ['Power', 'Rent'],
  );
  const flattened = await client.categories.getAll({ format: 'flattened' });
  assert.equal(flattened.length, smallBook.categories.length);
  assert.deepEqual(await client.categories.get(home.id), home);
});

testTagsAndCategories(started);
testTransactions(started);
testAttachments(started);
testAccounts(started);
testCryptoAndHistory(started);
testRefusals(started);

test('it understands 429', async () => {
  const own = await startService();
  const eager = new LunchMoneyClient({ apiKey: own.ada.token, baseUrl: `${own.baseUrl}/v2` });
  for (let hit = 0; hit < 100; hit += 1) await eager.user.getMe();
  const refused = await errorOf(eager.user.getMe());
  assert.deepEqual([refused.status, refused.message], [429, 'Too Many Requests']);
  await own.close();
});

test('every method of the client was called', () => {
  const all = parts.flatMap((part) =>
    Object.keys(Reflect.get(client, part) as object).map((name) => `${part}.${name}`),
  );
  assert.ok(all.length > 30, `only ${all.length} methods were found`);
  assert.deepEqual([...methods].toSorted(), all.toSorted());
});

test("every operation of the vendor's document was requested by the client", () => {
  const all = vendorOperations().map(({ name }) => name);
  assert.deepEqual([...operations].toSorted(), all.toSorted());
});
