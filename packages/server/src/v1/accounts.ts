import type { Static } from 'typebox';
import { isCalendarDate, isDateTime } from '@coffer/core/dates';
import { given } from '../db/table.ts';
import { manualAccounts } from '../db/tables/tables.ts';
import { amountInputV1, rounded } from '../operations/amounts.ts';
import { changed, ok } from '../operations/responses.ts';
import {
  Currency,
  exampleOf,
  listOf,
  object,
  only,
  optional,
  orNull,
  text,
  word,
  dateTime,
  flag,
} from '../operations/schema.ts';
import { formsV1, givenOrNull, openObject, refusedV1, withoutNulls, bare } from './refusals.ts';
import { read, write, outside, type Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import {
  createAccount,
  listAccounts,
  updateAccount,
  listPlaidAccounts,
} from '../ledger/accounts/actions.ts';
import { toWire } from '../ledger/accounts/rules.ts';
import {
  accountTypes,
  ManualAccount,
  ManualAccountInsert,
  ManualAccountPath,
} from '../ledger/accounts/schema.ts';
import { FetchQuery, fetchSoon } from '../sync/banks/fetch-routes.ts';
import { PlaidAccount } from '../ledger/accounts/plaid-schema.ts';
import { plaidToWire } from '../ledger/accounts/record.ts';

const shown = ManualAccount.properties;
/** The properties with the same name in v2. */
const same = [
  ...(['id', 'name', 'display_name', 'balance', 'to_base', 'balance_as_of', 'closed_on'] as const),
  ...(['currency', 'institution_name', 'created_at'] as const),
];
/** What v1 calls accounts of the type `cash` in the response to POST. */
const depository = 'depository' as const;

/** A manual account as v1 shows it. */
const AssetV1 = object(
  'AssetV1',
  'An account whose balance the user enters.',
  {
    ...only(shown, same),
    subtype_name: shown.subtype,
    exclude_transactions: shown.exclude_from_transactions,
    type_name: word([...accountTypes, depository], {
      description: 'Kind of account. Only the response to POST has `depository`, for `cash`.',
    }),
  },
  { example: inV1(exampleOf(ManualAccount)) },
);

const AssetListV1 = object('AssetListV1', 'All manual accounts of the book.', {
  assets: listOf(AssetV1, 'Sorted by `id`.'),
});

const typeNames =
  'cash, credit, investment, other, real estate, loan, vehicle, cryptocurrency, employee compensation';
const sent = ManualAccountInsert.properties;
const type_name = text(`One of: ${typeNames}. Other kinds of responses are accepted too.`);
const balance = amountInputV1('Balance; further decimals than four are rounded.');
const currencyText = "Currency of the balance; the book's by default.";
const { subtype: subtype_name, exclude_from_transactions: exclude_transactions } = sent;
const others = {
  subtype_name,
  ...only(sent, ['display_name', 'institution_name', 'closed_on']),
  balance_as_of: givenOrNull(text('When the balance is valid; now if it is not a date.')),
  currency: optional(orNull(Currency, currencyText)),
  exclude_transactions: givenOrNull(exclude_transactions),
};

const AssetInsertV1 = openObject(
  'AssetInsertV1',
  'A new manual account.',
  { type_name, name: sent.name, balance, ...others },
  { type_name: 'cash', name: 'Wallet', balance: '80.5' },
);

const AssetUpdateV1 = openObject(
  'AssetUpdateV1',
  'Changes to a manual account.',
  {
    type_name: givenOrNull(type_name),
    name: givenOrNull(sent.name),
    balance: givenOrNull(balance),
    ...others,
  },
  { balance: 1480 },
);
type AssetUpdateV1 = Static<typeof AssetUpdateV1>;

const area = { tag: 'manual-accounts', v1: formsV1.accounts } as const;
/** The operations of v1 on manual accounts. */
export const accountRoutesV1: readonly Operation[] = [
  read(
    {
      ...area,
      id: 'getAllManualAccountsV1',
      path: '/v1/assets',
      summary: 'List manual accounts',
      response: ok(AssetListV1, 'The accounts.'),
    },
    function* ({ bookId }) {
      return { assets: (yield* listAccounts(bookId)).map((row) => inV1(toWire(row))) };
    },
    { isCached: true, isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...area,
      id: 'createManualAccountV1',
      path: '/v1/assets',
      summary: 'Create a manual account',
      description:
        'With `closed_on` the account is closed. The response has `depository` for the type `cash`.',
      body: AssetInsertV1,
      response: changed(AssetV1, 'The new account.'),
    },
    function* ({ identity: { user, book }, body }, change) {
      const { type_name: typeName, name } = body;
      const required = { type: typeOf(typeName), name, balance: rounded(body.balance) };
      const defaults = { createdBy: user.name, currency: book.primaryCurrency };
      const row = yield* createAccount(change, { ...fromAsset(body), ...required }, defaults);
      return { ...inV1(toWire(row)), ...(row.type === 'cash' && { type_name: depository }) };
    },
  ),
  write(
    'PUT',
    {
      ...area,
      id: 'updateManualAccountV1',
      path: '/v1/assets/{id}',
      summary: 'Update a manual account',
      description:
        'Properties that are left out or null stay as they are. A new `balance` is valid as of now, or as of ' +
        '`balance_as_of`. With `closed_on` the account is closed.',
      params: ManualAccountPath,
      body: AssetUpdateV1,
      response: changed(AssetV1, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(manualAccounts, 'asset', bookId, params.id);
      const update = fromAsset(body);
      if (Object.keys(update).length === 0)
        throw refusedV1(formsV1.accounts, 'No valid fields to update for this asset.');
      return inV1(toWire(yield* updateAccount(change, before, update)));
    },
  ),
];

function inV1(account: ManualAccount) {
  return {
    ...only(account, same),
    type_name: account.type,
    subtype_name: account.subtype,
    exclude_transactions: account.exclude_from_transactions,
  };
}

/** Returns what is given of an account, with the names of v2. A day of closing closes the account. */
function fromAsset(body: AssetUpdateV1) {
  const own = withoutNulls(body);
  const names = ['name', 'display_name', 'institution_name', 'currency', 'closed_on'] as const;
  return given({
    ...only(own, names),
    type: own.type_name === undefined ? undefined : typeOf(own.type_name),
    subtype: own.subtype_name,
    balance: own.balance === undefined ? undefined : rounded(own.balance),
    balance_as_of: own.balance_as_of === undefined ? undefined : timeOf(own.balance_as_of),
    status: own.closed_on === undefined ? undefined : ('closed' as const),
    exclude_from_transactions: own.exclude_transactions,
  });
}

/** Returns the type that v1 means by a name. */
function typeOf(name: string): ManualAccount['type'] {
  const aliases: Readonly<Record<string, string>> = { other: 'other asset', [depository]: 'cash' };
  const type = accountTypes.find((each) => each === (aliases[name] ?? name));
  if (type === undefined)
    throw refusedV1(formsV1.accounts, `type_name must be one of: ${typeNames}`);
  return type;
}

/** Returns a time as v2 accepts it. One without an offset is in UTC; a text that is no time means now. */
function timeOf(text: string): string | undefined {
  if (isCalendarDate(text)) return text;
  return [text, `${text}Z`].find(isDateTime);
}

const sameSynced = [
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
    ...only(PlaidAccount.properties, sameSynced),
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

const syncedArea = { tag: 'plaid-accounts', v1: formsV1.others } as const;

/** The operations of v1 on synced accounts. */
export const plaidAccountRoutesV1: readonly Operation[] = [
  read(
    {
      ...syncedArea,
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
      ...syncedArea,
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
    ...only(account, sameSynced),
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
