import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpdateManualAccountBody } from '@lunch-money/lunch-money-js-v2';
import { addPlaidAccount, addRecurringItem } from '../../service/made-records.ts';
import { errorOf, refusal, type StartedClient } from './started-client.ts';

const missing = 987_654;
const notFound = (what: string): unknown[] => [
  404,
  'Not Found',
  [`There is no ${what} with the id: ${missing}.`],
];

/** Tests the methods of accounts, recurring items, budgets and the summary. */
export function testAccounts({ service, client }: StartedClient): void {
  const { ada } = service;

  test('it creates, gets, lists, updates and deletes manual accounts', async () => {
    const body = {
      name: 'By the client',
      type: 'credit',
      balance: '10.5',
      currency: 'usd',
    } as const;
    const made = await client.manualAccounts.create(body);
    assert.deepEqual([made.balance, made.currency, made.type], ['10.5000', 'usd', 'credit']);
    assert.deepEqual(await client.manualAccounts.get(made.id), made);
    assert.deepEqual((await client.manualAccounts.getAll()).at(-1), made);
    const update = { ...made, balance: '7', display_name: 'Shown' } as UpdateManualAccountBody;
    const changed = await client.manualAccounts.update(made.id, update);
    assert.deepEqual([changed.balance, changed.display_name], ['7.0000', 'Shown']);
    await client.manualAccounts.delete(made.id);
    assert.equal((await errorOf(client.manualAccounts.get(made.id))).status, 404);
  });

  test('it gets the reason why an account is refused', async () => {
    const wrong = { name: '', type: 'cash', balance: 'much' } as const;
    const { status, errors } = await errorOf(client.manualAccounts.create(wrong));
    assert.equal(status, 400);
    const texts = errors.map(({ errMsg }) => errMsg).join();
    assert.match(texts, /name must be at least 1 character.*balance must be a decimal .* "much"/);
    const [first] = await client.manualAccounts.getAll();
    assert.equal((await errorOf(client.manualAccounts.update(first!.id, {}))).status, 400);
    const none = notFound('manual account');
    assert.deepEqual(await refusal(client.manualAccounts.get(missing)), none);
    assert.deepEqual(await refusal(client.manualAccounts.update(missing, { name: 'x' })), none);
    assert.deepEqual(await refusal(client.manualAccounts.delete(missing)), none);
  });

  test('it lists and gets synced accounts, and requests their banks once a minute', async () => {
    const id = await addPlaidAccount(service.engine, ada);
    const account = await client.plaidAccounts.get(id);
    assert.deepEqual([account.id, account.balance, account.currency], [id, '1.0000', 'eur']);
    const all = await client.plaidAccounts.getAll();
    assert.deepEqual(
      all.find((each) => each.id === id),
      account,
    );
    assert.deepEqual(await refusal(client.plaidAccounts.get(missing)), notFound('plaid account'));
    const half = await refusal(client.plaidAccounts.triggerFetch({ start_date: '2026-01-01' }));
    assert.deepEqual(half.slice(2), [["Both 'start_date' and 'end_date' must be specified."]]);
    await client.plaidAccounts.triggerFetch({
      start_date: '2026-01-01',
      end_date: '2026-01-31',
      id,
    });
    assert.equal((await errorOf(client.plaidAccounts.triggerFetch())).status, 425);
  });

  test('it lists and gets recurring items', async () => {
    const id = await addRecurringItem(service, ada);
    const month = { start_date: '2026-01-01', end_date: '2026-01-31' };
    const items = await client.recurringItems.getAll({ ...month, include_suggested: true });
    const found = items.find((each) => each.id === id);
    assert.deepEqual(found?.matches?.expected_occurrence_dates, ['2026-01-05']);
    assert.equal((await client.recurringItems.get(id)).id, id);
    assert.deepEqual(await refusal(client.recurringItems.get(missing)), notFound('recurring item'));
    const half = client.recurringItems.getAll({ start_date: '2026-01-01' });
    assert.equal((await errorOf(half)).status, 400);
  });

  test('it sets, summarizes and deletes budgets', async () => {
    const { budget_period_granularity: granularity } = await client.budgets.getSettings();
    assert.equal(granularity, 'month');
    const { id } = await client.categories.create({ name: 'Budgeted by the client' });
    const place = { category_id: id, start_date: '2026-01-01' };
    const budget = await client.budgets.upsert({ ...place, amount: 120.5, notes: 'n' });
    assert.deepEqual([budget.amount, budget.category_id, budget.notes], ['120.5000', id, 'n']);
    const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
    const include = { include_totals: true, include_occurrences: true };
    const summary = await client.summary.get({ ...range, ...include });
    assert.equal(summary.aligned, true);
    const shown = summary.categories.find((each) => each.category_id === id);
    assert.equal(shown?.totals.budgeted, 120.5);
    const part = await client.summary.get({ start_date: '2026-01-02', end_date: '2026-01-31' });
    assert.equal(part.aligned, false);
    await client.budgets.delete(place);
    const after = await client.summary.get(range);
    const left = after.categories.find((each) => each.category_id === id);
    assert.equal(left?.totals.budgeted ?? null, null);
  });

  test('it gets the reason why a budget or a summary is refused', async () => {
    const { id } = await client.categories.create({ name: 'Not budgeted' });
    const place = { category_id: id, start_date: '2026-01-15' };
    const period = await errorOf(client.budgets.upsert({ ...place, amount: 1 }));
    assert.equal(period.status, 400);
    assert.match(period.errors[0]?.errMsg ?? '', /start_date is not the first day/);
    assert.equal((await errorOf(client.budgets.delete(place))).status, 400);
    const unknown = { start_date: '2026-01-01', category_id: missing, amount: 1 };
    assert.equal((await errorOf(client.budgets.upsert(unknown))).status, 400);
    const backwards = client.summary.get({ start_date: '2026-02-01', end_date: '2026-01-31' });
    assert.equal((await errorOf(backwards)).status, 400);
  });
}
