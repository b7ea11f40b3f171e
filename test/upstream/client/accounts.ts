import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpdateManualAccountBody } from '@lunch-money/lunch-money-js-v2';
import { addPlaidAccount, addRecurringItem } from '../../service/json-requests.ts';
import { errorOf, type StartedClient } from './started-client.ts';

const month = { start_date: '2026-01-01', end_date: '2026-01-31' };

/** Tests the methods of accounts, recurring items, budgets and the summary. */
export function testAccounts({ service, client }: StartedClient): void {
  const { ada } = service;

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
}
