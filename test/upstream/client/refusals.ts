import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOf, refusal, type StartedClient } from './started-client.ts';

const missing = 987_654;

/** Tests that the client understands each kind of refusal. */
export function testRefusals({ client, clientOf }: StartedClient): void {
  const { manualAccounts, tags, transactions } = client;

  test('it gets which record is missing: 404, also for writes', async () => {
    const expected = [404, 'Not Found', [`There is no tag with the id: ${missing}.`]];
    const calls = [
      () => tags.get(missing),
      () => tags.update(missing, { name: 'x' }),
      () => tags.delete(missing, { force: true }),
    ];
    for (const call of calls) assert.deepEqual(await refusal(call()), expected, String(call));
  });

  test('it gets the reasons of invalid requests: 400', async () => {
    const row = { date: '2026-01-05', amount: 1, category_id: missing };
    const wrong = { name: '', type: 'cash', balance: 'much' } as const;
    const calls: readonly (readonly [call: () => Promise<unknown>, reason: RegExp])[] = [
      [() => transactions.getAll({ limit: 5000 }), /limit/],
      [() => transactions.create({ transactions: [row] }), /^transactions\[0\] .*: 987654$/],
      [() => manualAccounts.create(wrong), /name must be at .*balance must be a .* "much"/],
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
