import { changed, ok } from '../operations/responses.ts';
import { dateTime, exampleOf, flag, listOf, object, only, word } from '../operations/schema.ts';
import { bare, formsV1, givenOrNull, openObject, withoutNulls } from './refusals.ts';
import { outside, read } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { listPlaidAccounts } from '../ledger/accounts/actions.ts';
import { FetchQuery, fetchSoon } from '../sync/banks/fetch-routes.ts';
import { PlaidAccount } from '../ledger/accounts/plaid-schema.ts';
import { plaidToWire } from '../ledger/accounts/record.ts';

const same = [
  ...(['id', 'date_linked', 'name', 'display_name', 'type', 'subtype', 'mask'] as const),
  ...(['institution_name', 'status', 'limit', 'balance', 'to_base', 'currency'] as const),
  ...(['balance_last_update', 'import_start_date', 'last_import', 'last_fetch'] as const),
  'plaid_last_successful_update' as const,
];
const statuses = ['active', 'inactive', 'relink', 'syncing', 'error'] as const;

/** A synced account as v1 shows it. */
const PlaidAccountV1 = object(
  'PlaidAccountV1',
  'An account that a connection reads.',
  {
    ...only(PlaidAccount.properties, same),
    status: word([...statuses, 'not found', 'not supported'], {
      description:
        'State of the connection. Closed and deactivated accounts are `inactive`, revoked ones `error`.',
    }),
    balance_last_update: dateTime(
      'When the balance was read; the beginning of `date_linked` before that.',
    ),
  },
  { example: toV1(exampleOf(PlaidAccount)) },
);

const PlaidAccountListV1 = object('PlaidAccountListV1', 'All synced accounts of the book.', {
  plaid_accounts: listOf(PlaidAccountV1, 'Sorted by `id`.'),
});

const PlaidFetchV1 = openObject(
  'PlaidFetchV1',
  'What to read; everything by default.',
  {
    start_date: givenOrNull(FetchQuery.properties.start_date),
    end_date: givenOrNull(FetchQuery.properties.end_date),
    plaid_account_id: givenOrNull(FetchQuery.properties.id),
  },
  {},
);

const PlaidFetchedV1 = bare(
  'PlaidFetchedV1',
  flag('`false`: the last request was less than 60 seconds ago.'),
  true,
);

const area = { tag: 'plaid-accounts', v1: formsV1.others } as const;

/** The operations of v1 on synced accounts. */
export const plaidAccountRoutesV1: readonly Operation[] = [
  read(
    {
      ...area,
      id: 'getAllPlaidAccountsV1',
      path: '/v1/plaid_accounts',
      summary: 'List plaid accounts',
      response: ok(PlaidAccountListV1, 'The accounts.'),
    },
    function* ({ bookId }) {
      const rows = yield* listPlaidAccounts(bookId);
      return { plaid_accounts: rows.map((row) => toV1(plaidToWire(row))) };
    },
    { isOneStatement: true },
  ),
  outside(
    'POST',
    {
      ...area,
      id: 'triggerPlaidAccountFetchV1',
      path: '/v1/plaid_accounts/fetch',
      summary: 'Fetch from banks',
      description:
        'Requests to read the accounts from their banks soon. Without dates, the days since the last reading are read.',
      body: PlaidFetchV1,
      isBodyOptional: true,
      response: changed(PlaidFetchedV1, 'Whether the request is stored.'),
    },
    ({ bookId, body }, engine) => {
      const { start_date: from, end_date: to, plaid_account_id: id } = withoutNulls(body);
      return fetchSoon(engine, bookId, { from, to, id });
    },
  ),
];

function toV1(account: PlaidAccount) {
  const { date_linked, status, limit, balance_last_update: readAt } = account;
  return {
    ...only(account, same),
    status: statusOf(status),
    // Clients that expect an integer refuse one with decimals.
    limit: limit === null ? null : Number(JSON.stringify(limit)),
    // Clients expect a time.
    balance_last_update: readAt ?? `${date_linked}T00:00:00.000Z`,
  };
}

function statusOf(status: PlaidAccount['status']) {
  if (status === 'revoked') return 'error' as const;
  return status === 'closed' || status === 'deactivated' ? ('inactive' as const) : status;
}
