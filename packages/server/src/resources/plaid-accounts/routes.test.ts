import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changing } from '../../changes/changing.ts';
import { plaidAccounts } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import type { PlaidAccount } from './schema.ts';

const texts = {
  name: 'Freedom',
  institution_name: 'Chase',
  type: 'credit',
  subtype: 'credit card',
};

test('plaid accounts are listed and found, only in their book', async () => {
  const made = await makeTestApp();
  const { send, refused } = bookClient(made, made.ada);
  const url = '/v2/plaid_accounts';
  assert.deepEqual((await send('GET', url)).body, { plaid_accounts: [] });
  const cause = { bookId: made.ada.identity.book.id, actor: 'test', operation: 'fill' };
  const linked = { linked_by_name: 'Ada', date_linked: '2020-01-28', currency: 'eur' };
  await made.engine.write(() =>
    changing(cause, function* (change) {
      const plain = { ...texts, ...linked, mask: '', balance: 0 };
      yield* change.insert(plaidAccounts, plain);
      yield* change.insert(plaidAccounts, {
        ...{ ...plain, mask: '1973', balance: -1_234_567, to_base: -9_007_199_254_740_991 },
        ...{ credit_limit: 150_000_000, display_name: '', status: 'not found' },
        ...{ plaid_item_id: 'x', allow_transaction_modifications: false },
        ...{ import_start_date: '2023-01-01', last_import: '2025-01-24T12:57:09.190Z' },
      });
    }),
  );
  const { body } = await send<{ plaid_accounts: PlaidAccount[] }>('GET', url);
  const [plain, full] = body.plaid_accounts;
  const never = { balance_last_update: null, last_fetch: null, plaid_last_successful_update: null };
  assert.deepEqual(plain, {
    ...{ id: plain!.id, plaid_item_id: null, ...texts, ...linked, mask: '', display_name: null },
    ...{ status: 'active', allow_transaction_modifications: true, limit: null },
    ...{ balance: '0.0000', to_base: 0, import_start_date: null, last_import: null, ...never },
  });
  const { id, limit, balance, to_base, status, display_name } = full!;
  assert.deepEqual([limit, balance, status, display_name], [15_000, '-123.4567', 'not found', '']);
  assert.equal(to_base, -900_719_925_474.0991);
  assert.deepEqual((await send('GET', `${url}/${id}`)).body, full);
  assert.equal((await send('GET', `${url}/9999999999999`)).status, 404);
  await refused('GET', `${url}/abc`);
  await refused('GET', `${url}?foo=1`);
  const ben = bookClient(made, made.ben);
  assert.equal((await ben.send('GET', `${url}/${id}`)).status, 404);
  assert.deepEqual((await ben.send('GET', url)).body, { plaid_accounts: [] });
});
