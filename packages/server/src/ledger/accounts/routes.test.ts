import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find } from '../../db/rows.ts';
import { plaidAccounts, syncRequests } from '../../db/tables/tables.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { as } from '../../http/testing/test-app.ts';

test('a fetch is requested with and without a body, and not twice in a minute', async () => {
  const { made, book } = await openBooks();
  const fetch = async (options: object): Promise<[number, unknown]> => {
    const url = '/v1/plaid_accounts/fetch';
    const request = { method: 'POST' as const, url, headers: as(made.ada), ...options };
    const { statusCode, body } = await made.app.inject(request);
    return [statusCode, JSON.parse(body)];
  };
  const json = { ...as(made.ada), 'content-type': 'application/json' };
  const { id } = await book.change((change) =>
    change.insert(plaidAccounts, {
      name: 'Freedom',
      institution_name: 'Chase',
      type: 'credit',
      subtype: 'credit card',
      linked_by_name: 'Ada',
      date_linked: '2020-01-28',
      currency: 'eur',
      mask: '',
      balance: 0,
    }),
  );
  const ranged = { start_date: '2026-01-01', end_date: '2026-01-31', plaid_account_id: id };
  const nulls = { start_date: null, end_date: null, plaid_account_id: null, more: 1 };
  const bodies = [{}, { headers: json }, ...[{}, nulls, ranged].map((payload) => ({ payload }))];
  for (const options of bodies) {
    assert.deepEqual(await fetch(options), [200, true]);
    assert.deepEqual(await fetch(options), [200, false]);
    made.clock.advance(60_000);
  }
  const stored = await book.read(() => find(syncRequests, { book_id: book.id }));
  const { first_date, last_date, plaid_account_id } = stored!;
  assert.deepEqual([first_date, last_date, plaid_account_id], Object.values(ranged));
  const refused: [object, string][] = [
    [{ start_date: '2026-01-01' }, "Both 'start_date' and 'end_date' must be specified."],
    [{ ...ranged, plaid_account_id: 8765 }, 'There is no synced account with the id: 8765.'],
    [
      { ...ranged, start_date: '2026-02-01' },
      'start_date 2026-02-01 is later than end_date 2026-01-31',
    ],
  ];
  for (const [payload, error] of refused)
    assert.deepEqual(await fetch({ payload }), [400, { error }]);
});
