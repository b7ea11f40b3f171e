import type { Static } from 'typebox';
import { shorten } from '@coffer/core/text';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { given } from '../db/table.ts';
import { manualCryptoAccounts } from '../db/tables/tables.ts';
import { changed, ok } from '../operations/responses.ts';
import {
  dateTime,
  exampleOf,
  id,
  listOf,
  number,
  object,
  only,
  optional,
  text,
  word,
} from '../operations/schema.ts';
import { formsV1, givenOrNull, openObject, refusedV1, withoutNulls } from './refusals.ts';
import { listAccounts } from '../sync/crypto/actions.ts';
import type { SyncedCryptoAccount } from '../sync/crypto/schema.ts';
import { cryptocurrencyOf } from '../sync/prices/actions.ts';
import { read, write, type Operation } from '../operations/operation.ts';
import { recordOf } from '../operations/records.ts';
import { checkedQuantity, updateManualCrypto } from '../sync/crypto-manual/actions.ts';
import { toWire } from '../sync/crypto-manual/rules.ts';
import {
  ManualCryptoAccount,
  ManualCryptoPath,
  ManualCryptoUpdate,
} from '../sync/crypto-manual/schema.ts';

const shown = ManualCryptoAccount.properties;
const source = word(['manual', 'synced'], { description: 'Who enters the balance.' });
const names = ['name', 'display_name', 'institution_name'] as const;

const written = [
  'id',
  'created_at',
  'name',
  'display_name',
  'balance',
  'institution_name',
] as const;

/** The balance of one asset as v1 shows it: of a manual account, or of a synced one. */
const CryptoV1 = object(
  'CryptoV1',
  'The balance of one crypto asset.',
  {
    id: optional(id('Id of a manual account.')),
    zabo_account_id: optional(id('Id of a synced account; its assets share it.')),
    source,
    created_at: dateTime('When the account was created.'),
    ...only(shown, [...names, 'balance', 'balance_as_of']),
    to_base: optional(number("Value in the book's primary currency; absent without a price.")),
    currency: text('Symbol of the asset, in upper case for manual accounts.'),
    status: word(['active', 'error'], { description: 'Whether the account can be read.' }),
  },
  { example: ofManual(exampleOf(ManualCryptoAccount)) },
);
type CryptoV1 = Static<typeof CryptoV1>;

const CryptoListV1 = object('CryptoListV1', 'All crypto balances of the book.', {
  crypto: listOf(CryptoV1, 'Those of manual accounts, then those of synced accounts; by `id`.'),
});

/** A manual crypto account in the response to PUT. */
const ManualCryptoV1 = object(
  'ManualCryptoV1',
  'A crypto balance that the user enters.',
  { ...only(shown, written), source },
  { example: ofWritten(exampleOf(ManualCryptoAccount)) },
);

const ManualCryptoUpdateV1 = openObject(
  'ManualCryptoUpdateV1',
  'Changes to a manual account.',
  {
    ...only(ManualCryptoUpdate.properties, names),
    balance: givenOrNull(ManualCryptoUpdate.properties.balance),
    currency: givenOrNull(text('The symbol of the account, if sent.')),
  },
  { balance: '0.9' },
);

const area = { tag: 'crypto-manual', v1: formsV1.accounts } as const;

/** The operations of v1 on crypto accounts. */
export const cryptoRoutesV1: readonly Operation[] = [
  read(
    {
      ...area,
      id: 'getAllCryptoV1',
      path: '/v1/crypto',
      summary: 'List crypto balances',
      description: 'Returns the balances of manual and of synced accounts. No provider is called.',
      response: ok(CryptoListV1, 'The balances.'),
    },
    function* ({ bookId }) {
      const manual = yield* select(manualCryptoAccounts, { book_id: bookId });
      const synced = yield* listAccounts(bookId);
      const shownManual = manual.map((row) => ofManual(toWire(row)));
      return { crypto: [...shownManual, ...synced.flatMap(ofSynced)] };
    },
  ),
  write(
    'PUT',
    {
      ...area,
      id: 'updateCryptoManualV1',
      path: '/v1/crypto/manual/{id}',
      summary: 'Update a manual crypto account',
      description:
        'Properties that are left out or null stay as they are. `currency` never changes.',
      params: ManualCryptoPath,
      body: ManualCryptoUpdateV1,
      response: changed(ManualCryptoV1, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(manualCryptoAccounts, 'crypto asset', bookId, params.id);
      const { balance, currency, ...others } = withoutNulls(body);
      if (currency !== undefined) yield* refuseOtherCurrency(before.symbol, currency);
      const quantity = balance === undefined ? undefined : checkedQuantity(balance);
      const update = given({ ...only(others, names), quantity });
      if (Object.keys(update).length === 0)
        throw refusedV1(formsV1.accounts, 'No valid fields to update for this crypto asset.');
      return ofWritten(toWire(yield* updateManualCrypto(change, before, update)));
    },
  ),
];

function* refuseOtherCurrency(symbol: string, currency: string): Steps<void> {
  if (currency.toLowerCase() === symbol) return;
  const isKnown = (yield* cryptocurrencyOf(currency.toLowerCase())) !== undefined;
  throw refusedV1(
    formsV1.accounts,
    isKnown
      ? `currency of a crypto asset cannot be changed: ${symbol}.`
      : `currency is invalid for crypto: ${shorten(currency)}. It may not be supported yet.`,
  );
}

function ofManual(account: ManualCryptoAccount) {
  return {
    ...ofWritten(account),
    balance_as_of: account.balance_as_of,
    ...(account.to_base !== null && { to_base: account.to_base }),
    currency: account.symbol.toUpperCase(),
    status: 'active' as const,
  };
}

function ofSynced(account: SyncedCryptoAccount): CryptoV1[] {
  return account.balances.map((asset) => ({
    zabo_account_id: account.id,
    ...only(asset, ['name', 'display_name', 'balance', 'balance_as_of']),
    source: 'synced',
    created_at: account.created_at,
    ...(asset.to_base !== null && { to_base: asset.to_base }),
    currency: asset.symbol,
    status: account.status === 'active' ? 'active' : 'error',
    institution_name: account.provider,
  }));
}

function ofWritten(account: ManualCryptoAccount) {
  return { ...only(account, written), source: 'manual' as const };
}
