import { plaidAccounts } from '../../db/tables/tables.ts';
import { changed, ok } from '../../operations/responses.ts';
import { read, write } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { recordOf } from '../../operations/records.ts';
import { listPlaidAccounts } from './actions.ts';
import * as schema from './plaid-schema.ts';
import { plaidToWire } from './record.ts';

const tag = 'plaid-accounts';

/** The operations of this folder. */
export const plaidAccountRoutes: readonly Operation[] = [
  read(
    {
      id: 'getAllPlaidAccounts',
      path: '/v2/plaid_accounts',
      tag,
      summary: 'List plaid accounts',
      description: 'Returns all synced bank accounts of the book. No bank is called.',
      response: ok(schema.PlaidAccountList, 'The accounts.'),
    },
    function* ({ bookId }) {
      return { plaid_accounts: (yield* listPlaidAccounts(bookId)).map(plaidToWire) };
    },
    { isOneStatement: true },
  ),
  read(
    {
      id: 'getPlaidAccountById',
      path: '/v2/plaid_accounts/{id}',
      tag,
      summary: 'Get a plaid account',
      params: schema.PlaidAccountPath,
      response: ok(schema.PlaidAccount, 'The account.'),
    },
    function* ({ bookId, params }) {
      return plaidToWire(yield* recordOf(plaidAccounts, 'plaid account', bookId, params.id));
    },
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      id: 'updatePlaidAccount',
      path: '/coffer/plaid_accounts/{id}',
      tag,
      summary: 'Lock or unlock a synced account',
      description:
        'Amounts and accounts of the transactions of a locked account cannot be changed, and none can be added by hand.',
      params: schema.PlaidAccountPath,
      body: schema.PlaidAccountUpdate,
      response: changed(schema.PlaidAccount, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(plaidAccounts, 'plaid account', bookId, params.id);
      return plaidToWire(yield* change.update(plaidAccounts, before, body));
    },
  ),
];
