import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, refusal, type StartedClient } from './started-client.ts';

const missing = 987_654;
const range = { start_date: '2026-01-01', end_date: '2026-01-31' };

/** Tests that the client understands each kind of refusal. */
export function testRefusals({ client, clientOf }: StartedClient): void {
  const { categories, manualAccounts, plaidAccounts, recurringItems, tags, transactions } = client;

  test('it gets which record is missing: 404', async () => {
    const calls: readonly (readonly [what: string, ...calls: (() => Promise<unknown>)[]])[] = [
      [
        'tag',
        () => tags.get(missing),
        () => tags.update(missing, { name: 'x' }),
        () => tags.delete(missing),
        () => tags.delete(missing, { force: true }),
      ],
      [
        'category',
        () => categories.get(missing),
        () => categories.update(missing, { name: 'x' }),
        () => categories.delete(missing),
        () => categories.delete(missing, { force: true }),
      ],
      [
        'manual account',
        () => manualAccounts.get(missing),
        () => manualAccounts.update(missing, { name: 'x' }),
        () => manualAccounts.delete(missing),
      ],
      ['plaid account', () => plaidAccounts.get(missing)],
      ['recurring item', () => recurringItems.get(missing)],
      [
        'transaction',
        () => transactions.get(missing),
        () => transactions.update(missing, {}),
        () => transactions.delete(missing),
      ],
    ];
    for (const [what, ...its] of calls)
      for (const call of its) {
        const expected = [404, 'Not Found', [`There is no ${what} with the id: ${missing}.`]];
        assert.deepEqual(await refusal(call()), expected, String(call));
      }
  });

  test('it gets the reasons of invalid requests: 400', async () => {
    const name = 'Not budgeted';
    const { id } = await categories.create({ name });
    const place = { category_id: id, start_date: '2026-01-15' };
    const half = { start_date: '2026-01-01' };
    const row = { date: '2026-01-05', amount: 1, category_id: missing };
    const wrong = { name: '', type: 'cash', balance: 'much' } as const;
    const calls: readonly (readonly [call: () => Promise<unknown>, reason: RegExp])[] = [
      [() => transactions.getAll({ limit: 5000 }), /limit/],
      [() => transactions.create({ transactions: [row] }), /^transactions\[0\] .*: 987654$/],
      [() => plaidAccounts.triggerFetch(half), /^Both 'start_date' and 'end_date' must be spec/],
      [() => recurringItems.getAll(half), /end_date/],
      [() => manualAccounts.create(wrong), /name must be at .*balance must be a .* "much"/],
      [() => client.budgets.upsert({ ...place, amount: 1 }), /start_date is not the first day/],
      [() => client.budgets.delete(place), /start_date/],
      [() => client.summary.get({ ...range, start_date: '2026-02-01' }), /date/],
      [() => categories.create({ name }), /^Category with name 'Not budgeted' already exists$/],
    ];
    for (const [call, reason] of calls) {
      const [status, , texts] = await refusal(call());
      assert.equal(status, 400, String(call));
      assert.match(texts.join(', '), reason, String(call));
    }
  });

  test('it understands an unknown token: 401', async () => {
    const stranger = await refusal(clientOf('a-token-of-nobody').user.getMe());
    assert.deepEqual(stranger, [401, 'Unauthorized', ['Access token does not exist.']]);
  });

  test('it gets what depends on a record: 422', async () => {
    const tag = (await tags.getAll()).find(({ name }) => name === 'work');
    const { status, data } = await errorOf(tags.delete(tag!.id, { force: false }));
    const dependents = { rules: 0, transactions: 2 };
    assert.deepEqual([status, data], [422, { tag_name: 'work', dependents }]);
  });
}
