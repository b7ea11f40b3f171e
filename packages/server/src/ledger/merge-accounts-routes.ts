import { formatAmount } from '@coffer/core/money';
import { manualAccounts } from '../db/tables/tables.ts';
import type { CurrencyCode } from '../operations/currencies.ts';
import { changed } from '../operations/responses.ts';
import {
  amount,
  count,
  Currency,
  flag,
  id,
  idPath,
  nullable,
  object,
  optional,
  reference,
  someId,
} from '../operations/schema.ts';
import { write } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import { mergeAccount } from './merge-accounts.ts';

const target = (description: string) => optional(someId(description));

const AccountMerge = object('AccountMerge', 'Which account to merge into: one of the two ids.', {
  into_id: target('Id of the manual account that is kept.'),
  into_plaid_id: target('Id of the synced account that is kept.'),
  add_balance: optional(
    flag(
      'Add the balance to that of the manual account that is kept, converted at the latest rate. ' +
        'Between an asset and a debt it is subtracted.',
      false,
    ),
  ),
});

const MergedAccount = object(
  'MergedAccount',
  'The account that is kept.',
  {
    manual_account_id: nullable(id('Its id if it is a manual account.')),
    plaid_account_id: nullable(id('Its id if it is a synced account.')),
    transactions: count('Number of moved transactions.'),
    balance: amount('Its balance in `currency`.'),
    currency: reference(Currency, 'Its currency.'),
  },
  {
    example: {
      manual_account_id: 3,
      plaid_account_id: null,
      transactions: 120,
      balance: '812.4000',
      currency: 'eur',
    },
  },
);

/** The operations that merge accounts. */
export const accountMergeRoutes: readonly Operation[] = [
  write(
    'POST',
    {
      id: 'mergeManualAccount',
      path: '/coffer/manual_accounts/{id}/merge',
      tag: 'manual-accounts',
      params: idPath('manual account'),
      summary: 'Merge a manual account into another account',
      description:
        'Moves the transactions of the account to another manual account, or to a synced one, and deletes the ' +
        'account. They get the source `merge`. The account that is kept keeps its balance by default. ' +
        'If both accounts have a transaction with the same `external_id`, the response is 400 and lists each.',
      body: AccountMerge,
      bodyExamples: {
        manual: { summary: 'Into a manual account', value: { into_id: 3, add_balance: true } },
        synced: { summary: 'Into a synced account', value: { into_plaid_id: 8 } },
      },
      response: changed(MergedAccount, 'The account that is kept.'),
    },
    function* ({ bookId, params, body }, change) {
      const from = yield* recordOf(manualAccounts, 'manual account', bookId, params.id);
      const { balance, currency, ...kept } = yield* mergeAccount(change, from, body);
      return { ...kept, balance: formatAmount(balance), currency: currency as CurrencyCode };
    },
  ),
];
