import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plaidAccounts } from '../../db/tables.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { PlaidAccount } from './schema.ts';

const names = { name: 'Freedom', institution_name: 'Chase' };
const texts = { ...names, type: 'credit', subtype: 'credit card' };

test('plaid accounts are listed and found, only in their book', async () => {
  const { book, ok, status: statusOf, refused, ben } = await openBooks();
  const url = '/v2/plaid_accounts';
  const linked = { linked_by_name: 'Ada', date_linked: '2020-01-28', currency: 'eur' };
  await book.change(function* (change) {
    const plain = { ...texts, ...linked, mask: '', balance: 0 };
    yield* change.insert(plaidAccounts, plain);
    yield* change.insert(plaidAccounts, {
      ...{ ...plain, mask: '1973', balance: -1_234_567, to_base: -9_007_199_254_740_991 },
      ...{ credit_limit: 150_000_000, display_name: '', status: 'not found' },
      ...{ plaid_item_id: 'x', allow_transaction_modifications: false },
      ...{ import_start_date: '2023-01-01', last_import: '2025-01-24T12:57:09.190Z' },
    });
  });
  const [plain, full] = (await ok<{ plaid_accounts: PlaidAccount[] }>('GET', url)).plaid_accounts;
  const never = { balance_last_update: null, last_fetch: null, plaid_last_successful_update: null };
  assert.deepEqual(plain, {
    ...{ id: plain!.id, plaid_item_id: null, ...texts, ...linked, mask: '', display_name: null },
    ...{ status: 'active', allow_transaction_modifications: true, limit: null },
    ...{ balance: '0.0000', to_base: 0, import_start_date: null, last_import: null, ...never },
  });
  const { id, limit, balance, to_base, status, display_name } = full!;
  assert.deepEqual([limit, balance, status, display_name], [15_000, '-123.4567', 'not found', '']);
  assert.equal(to_base, -900_719_925_474.0991);
  assert.deepEqual(await ok('GET', `${url}/${id}`), full);
  assert.equal(await statusOf('GET', `${url}/9999999999999`), 404);
  await refused('GET', `${url}/abc`);
  await refused('GET', `${url}?foo=1`);
  assert.deepEqual(await ben.ok('GET', url), { plaid_accounts: [] });
});
