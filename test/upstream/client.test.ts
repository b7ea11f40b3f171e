import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LunchMoneyClient, LunchMoneyError } from '@lunch-money/lunch-money-js-v2';
import type {
  AttachFileToTransactionBody,
  TransactionAttachment,
  UpdateManualAccountBody,
  UpdateTransactionBody,
} from '@lunch-money/lunch-money-js-v2';
import { vendorProblems } from '../../packages/server/src/http/testing/vendor-document.ts';
import { addRecurringItem } from '../service/json-requests.ts';
import { isListed, payeesOf, smallBook } from '../service/small-book.ts';
import { startService } from '../service/started-service.ts';
import { addPlaidAccount } from '../../packages/server/src/operations/testing/outside-records.ts';
import { pngBytes } from '../../packages/server/src/operations/testing/special-requests.ts';
import { manyRows } from '../service/service-books.ts';

/* Every method of the vendor's client, with whose document each response is compared. */

const service = await startService({ rateLimit: '100000/24h' });
after(() => service.close());
const { ada, ben } = service;

/** Sends a request, and compares its response with the vendor's document. */
async function fetchChecked(request: Request): Promise<Response> {
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const response = await fetch(request);
  const text = await response.clone().text();
  const compared = { method, target: pathname + search, status: response.status, text };
  assert.deepEqual(vendorProblems(compared), []);
  return response;
}

const clientOf = (apiKey: string): LunchMoneyClient =>
  new LunchMoneyClient({ apiKey, baseUrl: `${service.baseUrl}/v2`, fetch: fetchChecked });

/** The parts of the client that have methods. */
const parts = Object.entries(Object.getOwnPropertyDescriptors(LunchMoneyClient.prototype))
  .filter(([name, descriptor]) => 'get' in descriptor && name !== 'rawClient')
  .map(([name]) => name);

/** The methods of the client that were called, such as `tags.getAll`. */
const methods = new Set<string>();

function recordCalls(client: LunchMoneyClient): LunchMoneyClient {
  return new Proxy(client, {
    get: (target, part) => {
      const value: unknown = Reflect.get(target, part, target);
      if (!parts.includes(String(part))) return value;
      return new Proxy(value as object, {
        get: (object, name) => {
          methods.add(`${String(part)}.${String(name)}`);
          return Reflect.get(object, name) as unknown;
        },
      });
    },
  });
}

const client = recordCalls(clientOf(ada.token));

/** Returns the error of the client. */
async function errorOf(work: Promise<unknown>): Promise<LunchMoneyError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof LunchMoneyError, String(outcome));
  return outcome;
}

/** Returns the status, the message and the texts of a refused call. */
async function refusal(work: Promise<unknown>): Promise<[number | undefined, string, string[]]> {
  const { status, message, errors } = await errorOf(work);
  return [status, message, errors.map(({ errMsg }) => errMsg)];
}

const month = { start_date: '2026-01-01', end_date: '2026-01-31' };
const date = '2026-01-05';

test('the official client gets its user', async () => {
  const me = await client.user.getMe();
  assert.equal(me.email, 'ada@example.org');
  assert.equal(me.account_id, ada.bookId);
  assert.equal(me.primary_currency, 'eur');
});

test('it lists transactions, newest first', async () => {
  const { transactions, hasMore } = await client.transactions.getAll();
  const names = transactions.map(({ payee }) => payee);
  assert.deepEqual(names, payeesOf(isListed));
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
  const names = transactions.map(({ payee }) => payee);
  assert.deepEqual(names, march);
});

test('it gets categories nested, flattened and by id', async () => {
  const nested = await client.categories.getAll();
  const home = nested.find(({ name }) => name === 'Home')!;
  const names = home.children?.map(({ name }) => name);
  assert.deepEqual(names, ['Power', 'Rent']);
  const flattened = await client.categories.getAll({ format: 'flattened' });
  assert.equal(flattened.length, smallBook.categories.length);
  assert.deepEqual(await client.categories.get(home.id), home);
});

test('it creates, gets, lists, updates and deletes tags', async () => {
  const made = await client.tags.create({ name: 'By the client', text_color: 'FFF' });
  assert.deepEqual([made.name, made.text_color, made.archived], ['By the client', 'FFF', false]);
  assert.deepEqual(await client.tags.get(made.id), made);
  assert.deepEqual((await client.tags.getAll()).at(-1), made);
  const whole = await client.tags.update(made.id, { ...made, description: 'Sent back' });
  assert.deepEqual(whole, { ...made, description: 'Sent back', updated_at: whole.updated_at });
  await client.tags.delete(made.id);
  assert.equal((await client.tags.getAll()).length, smallBook.tags.length);
});

test('it creates, gets, updates and deletes categories and groups', async () => {
  const member = await client.categories.create({ name: 'Made', is_income: true });
  const group = await client.categories.create({
    name: 'Made group',
    is_group: true,
    children: [member.id, 'Made by name'],
  });
  const names = group.children?.map(({ name }) => name);
  assert.deepEqual(names, ['Made', 'Made by name']);
  assert.deepEqual(await client.categories.get(group.id), group);
  await client.categories.update(group.id, { children: [member.id] });
  const changed = await client.categories.update(member.id, { group_id: null, description: 'x' });
  assert.deepEqual([changed.group_id, changed.description], [null, 'x']);
  for (const { id } of [group, member, group.children![1]!]) await client.categories.delete(id);
  const all = await client.categories.getAll({ format: 'flattened' });
  assert.equal(all.length, smallBook.categories.length);
});

test('it deletes a group with members by force', async () => {
  const group = await client.categories.create({ name: 'G', is_group: true, children: ['M'] });
  assert.equal((await errorOf(client.categories.delete(group.id))).status, 422);
  await client.categories.delete(group.id, { force: true });
  assert.equal((await client.categories.get(group.children![0]!.id)).group_id, null);
});

/** Creates transactions of the given amounts and returns their ids. */
const create = async (...amounts: readonly number[]): Promise<number[]> => {
  const rows = amounts.map((amount) => ({ date, amount, payee: `Of ${amount}` }));
  const { transactions } = await client.transactions.create({ transactions: rows });
  return transactions.map(({ id }) => id);
};

test('it creates transactions, and skips duplicates', async () => {
  const tag = await client.tags.create({ name: 'Of a transaction' });
  const cash = { name: 'Of transactions', type: 'cash', balance: 100 } as const;
  const account = await client.manualAccounts.create(cash);
  const row = { date, amount: '12.5', payee: 'By the client', manual_account_id: account.id };
  const more = { tag_ids: [tag.id], notes: 'n', external_id: 'one', custom_metadata: { a: [1] } };
  const body = { transactions: [{ ...row, ...more }], apply_rules: true, skip_duplicates: true };
  const made = await client.transactions.create(body);
  const [first] = made.transactions;
  assert.ok(first);
  const shown = [first.amount, first.to_base, first.tag_ids, first.custom_metadata];
  assert.deepEqual(shown, ['12.5000', 12.5, [tag.id], { a: [1] }]);
  assert.deepEqual(await client.transactions.get(first.id), first);
  const again = await client.transactions.create({ ...body, skip_balance_update: true });
  assert.deepEqual(again.transactions, []);
  const [skipped] = again.skipped_duplicates;
  assert.equal(skipped?.reason, 'duplicate_external_id');
  assert.equal(skipped.existing_transaction_id, first.id);
});

test('it updates transactions, one and many', async () => {
  const [one, two] = (await create(1, 2)) as [number, number];
  const category = await client.categories.create({ name: 'Of updates' });
  const update = { notes: 'x', category_id: category.id, status: 'reviewed' as const };
  const changed = await client.transactions.update(one, update);
  assert.deepEqual({ ...changed, ...update }, changed);
  assert.deepEqual(await client.transactions.get(one), changed);
  const whole = await client.transactions.update(one, {
    ...changed,
    payee: 'Sent',
  } as UpdateTransactionBody);
  assert.deepEqual(whole, { ...changed, payee: 'Sent', updated_at: whole.updated_at });
  const notes = [one, two].map((id) => ({ id, notes: `Of ${id}` }));
  const { transactions } = await client.transactions.updateMany({ transactions: notes });
  const shown = transactions.map(({ id, notes }) => ({ id, notes }));
  assert.deepEqual(shown, notes);
});

test('it deletes transactions, one and many', async () => {
  const [one, two, three] = (await create(1, 2, 3)) as [number, number, number];
  await client.transactions.delete(one);
  await client.transactions.deleteMany({ ids: [two, three] });
  for (const id of [one, two, three]) {
    assert.equal((await errorOf(client.transactions.get(id))).status, 404);
  }
});

test('it groups and ungroups transactions', async () => {
  const ids = await create(1, 2.5);
  const group = await client.transactions.group({ ids, date, payee: 'Group', notes: 'n' });
  assert.deepEqual([group.amount, group.is_group_parent], ['3.5000', true]);
  assert.deepEqual(group.children?.map(({ id }) => id).toSorted(), ids.toSorted());
  assert.equal((await client.transactions.get(ids[0]!)).group_parent_id, group.id);
  await client.transactions.ungroup(group.id);
  assert.equal((await client.transactions.get(ids[0]!)).group_parent_id, null);
});

test('it splits and unsplits a transaction', async () => {
  const [id] = (await create(10)) as [number];
  const halves = [{ amount: '4' }, { amount: 6, payee: 'Rest' }];
  const split = await client.transactions.split(id, { child_transactions: halves });
  assert.equal(split.is_split_parent, true);
  const names = split.children?.map(({ payee }) => payee);
  assert.deepEqual(names, ['Of 10', 'Rest']);
  await client.transactions.unsplit(id);
  assert.equal((await client.transactions.get(id)).is_split_parent, false);
});

/** The client sends the form as `application/json`, without its boundary. */
test('it attaches a file, gets its address and deletes it', async () => {
  const transactions = [{ date: '2026-01-06', amount: 1, payee: 'With a receipt' }];
  const [row] = (await client.transactions.create({ transactions })).transactions;
  const form = new FormData();
  form.append('file', new Blob([pngBytes], { type: 'image/png' }), 'receipt.png');
  form.append('notes', 'by the client');
  // Its types declare an object, which would be sent as JSON.
  const body = form as unknown as AttachFileToTransactionBody;
  const sent = await client.transactions.attachFile(row!.id, body);
  const made = sent as Required<TransactionAttachment>;
  const shown = [made.name, made.type, made.notes];
  assert.deepEqual(shown, ['receipt.png', 'image/png', 'by the client']);
  assert.deepEqual((await client.transactions.get(row!.id)).files, [made]);
  const { url, expires_at: expiresAt } = await client.transactions.getAttachmentUrl(made.id);
  assert.ok(Date.parse(expiresAt) > Date.parse(made.created_at));
  const download = await fetch(url);
  assert.deepEqual(Buffer.from(await download.arrayBuffer()), pngBytes);
  await client.transactions.deleteAttachment(made.id);
  assert.equal((await fetch(url)).status, 404);
  const gone = [404, 'Not Found', [`File attachment ${made.id} not found`]];
  assert.deepEqual(await refusal(client.transactions.getAttachmentUrl(made.id)), gone);
  assert.deepEqual(await refusal(client.transactions.deleteAttachment(made.id)), gone);
});

test('it creates, gets, lists, updates and deletes manual accounts', async () => {
  const body = { name: 'By the client', type: 'credit', balance: '10.5' } as const;
  const made = await client.manualAccounts.create(body);
  assert.deepEqual([made.balance, made.type], ['10.5000', 'credit']);
  assert.deepEqual(await client.manualAccounts.get(made.id), made);
  assert.deepEqual((await client.manualAccounts.getAll()).at(-1), made);
  const update = { ...made, balance: '7', display_name: 'Shown' } as UpdateManualAccountBody;
  const changed = await client.manualAccounts.update(made.id, update);
  assert.deepEqual([changed.balance, changed.display_name], ['7.0000', 'Shown']);
  await client.manualAccounts.delete(made.id);
  assert.equal((await errorOf(client.manualAccounts.get(made.id))).status, 404);
});

test('it lists and gets synced accounts, and requests their banks once a minute', async () => {
  const id = await addPlaidAccount(service.engine, ada);
  const account = await client.plaidAccounts.get(id);
  assert.deepEqual([account.id, account.balance, account.currency], [id, '1.0000', 'eur']);
  const all = await client.plaidAccounts.getAll();
  assert.ok(all.some((each) => each.id === id));
  await client.plaidAccounts.triggerFetch({ ...month, id });
  assert.equal((await errorOf(client.plaidAccounts.triggerFetch())).status, 425);
});

test('it lists and gets recurring items', async () => {
  const id = await addRecurringItem(service, ada);
  const items = await client.recurringItems.getAll({ ...month, include_suggested: true });
  const found = items.find((each) => each.id === id);
  assert.deepEqual(found?.matches?.expected_occurrence_dates, ['2026-01-05']);
  assert.equal((await client.recurringItems.get(id)).id, id);
});

test('it sets, summarizes and deletes budgets', async () => {
  const { budget_period_granularity: granularity } = await client.budgets.getSettings();
  assert.equal(granularity, 'month');
  const { id } = await client.categories.create({ name: 'Budgeted by the client' });
  const place = { category_id: id, start_date: '2026-01-01' };
  const budget = await client.budgets.upsert({ ...place, amount: 120.5, notes: 'n' });
  assert.deepEqual([budget.amount, budget.category_id, budget.notes], ['120.5000', id, 'n']);
  const include = { include_totals: true, include_occurrences: true };
  const summary = await client.summary.get({ ...month, ...include });
  assert.equal(summary.aligned, true);
  const shown = summary.categories.find((each) => each.category_id === id);
  assert.equal(shown?.totals.budgeted, 120.5);
  const part = await client.summary.get({ ...month, start_date: '2026-01-02' });
  assert.equal(part.aligned, false);
  await client.budgets.delete(place);
});

/** The client inside the official one, whose types are not published. It has the paths that have no method. */
type RawClient = Readonly<
  Record<'GET' | 'POST' | 'PUT' | 'DELETE', (path: string, init?: object) => Promise<RawAnswer>>
>;
type RawAnswer = Readonly<{ data?: unknown; response: { readonly status: number } }>;

test('its inner client sends what it has no methods for', async () => {
  const { rawClient } = clientOf(ada.token) as unknown as { readonly rawClient: RawClient };
  const body = { name: 'Cold wallet', symbol: 'btc', balance: '0.5' };
  const made = await rawClient.POST('/crypto/manual', { body });
  const { id } = made.data as { readonly id: number };
  const params = { path: { id } };
  const changed = await rawClient.PUT('/crypto/manual/{id}', { params, body: { balance: '2' } });
  const one = await rawClient.GET('/crypto/manual/{id}', { params });
  assert.deepEqual(one.data, changed.data);
  assert.equal((one.data as { balance: string }).balance, `2.${'0'.repeat(18)}`);
  assert.equal((await rawClient.DELETE('/crypto/manual/{id}', { params })).response.status, 204);
});

const missing = 987_654;

test('it gets which record is missing: 404, also for writes', async () => {
  const expected = [404, 'Not Found', [`There is no tag with the id: ${missing}.`]];
  const calls = [
    () => client.tags.get(missing),
    () => client.tags.update(missing, { name: 'x' }),
    () => client.tags.delete(missing, { force: true }),
  ];
  for (const call of calls) assert.deepEqual(await refusal(call()), expected, String(call));
});

test('it gets the reasons of invalid requests: 400', async () => {
  const row = { date: '2026-01-05', amount: 1, category_id: missing };
  const wrong = { name: '', type: 'cash', balance: 'much' } as const;
  const calls: readonly (readonly [call: () => Promise<unknown>, reason: RegExp])[] = [
    [() => client.transactions.getAll({ limit: 5000 }), /limit/],
    [() => client.transactions.create({ transactions: [row] }), /^transactions\[0\] .*: 987654$/],
    [() => client.manualAccounts.create(wrong), /name must be at .*balance must be a .* "much"/],
  ];
  for (const [call, reason] of calls) {
    const [status, , texts] = await refusal(call());
    assert.equal(status, 400, String(call));
    assert.match(texts.join(', '), reason, String(call));
  }
});

test('it understands an unknown token, dependents and too many requests: 401, 422, 429', async () => {
  const stranger = await refusal(clientOf('a-token-of-nobody').user.getMe());
  assert.deepEqual(stranger, [401, 'Unauthorized', ['Access token does not exist.']]);
  const tag = (await client.tags.getAll()).find(({ name }) => name === 'work');
  const { status, data } = await errorOf(client.tags.delete(tag!.id, { force: false }));
  const dependents = { rules: 0, transactions: 2 };
  assert.deepEqual([status, data], [422, { tag_name: 'work', dependents }]);
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
