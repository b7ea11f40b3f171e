import { manualAccounts } from '../db/tables/tables.ts';
import { noContent } from '../operations/responses.ts';
import { write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import { removeAccount } from './remove-account.ts';
import * as schema from './accounts/schema.ts';

const noun = 'manual account';
const tag = 'manual-accounts';
const one = { path: '/v2/manual_accounts/{id}', tag, params: schema.ManualAccountPath } as const;

/** The operations of this folder. */

/** The operation that deletes a manual account. */
export const accountRemovalRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteManualAccount',
      summary: 'Delete a manual account',
      description:
        'Transactions keep the id of the account, unless `delete_items` is sent. Then groups with one of its ' +
        'transactions are dissolved.',
      query: schema.DeleteAccountQuery,
      response: noContent('The account is deleted.'),
    },
    function* ({ bookId, params, query }, change) {
      const account = yield* recordOf(manualAccounts, noun, bookId, params.id);
      const { delete_items: items, delete_balance_history: history } = query;
      yield* removeAccount(change, account, { items, history });
    },
  ),
];
