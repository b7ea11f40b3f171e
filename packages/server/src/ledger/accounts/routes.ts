import { manualAccounts, plaidAccounts } from '../../db/tables/tables.ts';
import { changed, created, ok } from '../../operations/responses.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import { recordOf } from '../../operations/records.ts';
import { createAccount, listAccounts, updateAccount, listPlaidAccounts } from './actions.ts';
import { accountExamples as examples, ManualAccount } from './schema.ts';
import { toWire } from './rules.ts';
import * as schema from './schema.ts';
import * as plaid from './plaid-schema.ts';
import { plaidToWire } from './record.ts';

const noun = 'manual account';
const tag = 'manual-accounts';
const all = { path: '/v2/manual_accounts', tag } as const;
const one = { path: '/v2/manual_accounts/{id}', tag, params: schema.ManualAccountPath } as const;

/** The operations of manual accounts. */
export const accountRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllManualAccounts',
      summary: 'List manual accounts',
      description: 'Returns all manual accounts of the book, closed ones too.',
      response: ok(schema.ManualAccountList, 'The accounts.'),
    },
    function* ({ bookId }) {
      return { manual_accounts: (yield* listAccounts(bookId)).map(toWire) };
    },
    { isCached: true, isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createManualAccount',
      summary: 'Create a manual account',
      description:
        'No two accounts may be shown by the same name: by `display_name`, or else by `institution_name` and `name`.',
      body: schema.ManualAccountInsert,
      bodyExamples: examples.insert,
      response: created(ManualAccount, 'The new account.'),
    },
    function* ({ identity: { user, book }, body }, change) {
      const defaults = { createdBy: user.name, currency: book.primaryCurrency };
      return toWire(yield* createAccount(change, body, defaults));
    },
  ),
  read(
    {
      ...one,
      id: 'getManualAccountById',
      summary: 'Get a manual account',
      response: ok(ManualAccount, 'The account.'),
    },
    function* ({ bookId, params }) {
      return toWire(yield* recordOf(manualAccounts, noun, bookId, params.id));
    },
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateManualAccount',
      summary: 'Update a manual account',
      description:
        'Properties that are left out stay as they are. A new `balance` is valid as of now, or as of ' +
        '`balance_as_of`. An account with the status `closed` always has a day of closing.',
      body: schema.ManualAccountUpdate,
      bodyExamples: examples.update,
      response: changed(ManualAccount, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(manualAccounts, noun, bookId, params.id);
      return toWire(yield* updateAccount(change, before, body));
    },
  ),
];

const synced = 'plaid-accounts';

/** The operations of synced accounts. */
export const plaidAccountRoutes: readonly Operation[] = [
  read(
    {
      id: 'getAllPlaidAccounts',
      path: '/v2/plaid_accounts',
      tag: synced,
      summary: 'List plaid accounts',
      description: 'Returns all synced bank accounts of the book. No bank is called.',
      response: ok(plaid.PlaidAccountList, 'The accounts.'),
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
      tag: synced,
      summary: 'Get a plaid account',
      params: plaid.PlaidAccountPath,
      response: ok(plaid.PlaidAccount, 'The account.'),
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
      tag: synced,
      summary: 'Lock or unlock a synced account',
      description:
        'Amounts and accounts of the transactions of a locked account cannot be changed, and none can be added by hand.',
      params: plaid.PlaidAccountPath,
      body: plaid.PlaidAccountUpdate,
      response: changed(plaid.PlaidAccount, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(plaidAccounts, 'plaid account', bookId, params.id);
      return plaidToWire(yield* change.update(plaidAccounts, before, body));
    },
  ),
];
