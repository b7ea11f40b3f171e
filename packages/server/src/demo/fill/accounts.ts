import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import {
  balanceHistory,
  cryptoAccounts,
  cryptoBalances,
  manualAccounts,
  manualCryptoAccounts,
  plaidAccounts,
} from '../../db/tables/tables.ts';
import { accountColumns } from '../../ledger/balance-history/actions.ts';
import { ratesOf } from '../../ledger/currencies/actions.ts';
import type { DemoBook, DemoHistory, DemoManualAccount } from '../book/demo-book.ts';
import { insertEach, linkedBy, made, madeAt } from './rows.ts';
import type { AccountIds } from './rows.ts';

/** Inserts the accounts of all kinds and returns their ids. */
export function* fillAccounts(change: Change, demo: DemoBook): Steps<AccountIds> {
  const values = yield* valuesOf(demo);
  const money = (each: DemoManualAccount) => {
    const { balance, currency } = each;
    return { balance, currency, to_base: values.get(each)! };
  };
  return {
    manualAccounts: yield* insertEach(change, manualAccounts, demo.manualAccounts, (each) => ({
      name: each.name,
      institution_name: each.institutionName,
      type: each.type,
      subtype: each.subtype,
      ...money(each),
      balance_as_of: madeAt,
      status: each.closedOn === undefined ? 'active' : 'closed',
      closed_on: each.closedOn ?? null,
      created_by_name: linkedBy,
      ...made,
    })),
    plaidAccounts: yield* insertEach(change, plaidAccounts, demo.plaidAccounts, (each) => ({
      name: each.name,
      institution_name: each.institutionName,
      type: each.type,
      subtype: each.subtype,
      mask: each.mask,
      ...money(each),
      linked_by_name: linkedBy,
      date_linked: madeAt.slice(0, 10),
      balance_last_update: madeAt,
    })),
    ...(yield* fillCrypto(change, demo)),
  };
}

/** The values of the balances in the primary currency; 0 without a rate. */
function* valuesOf({ manualAccounts, plaidAccounts, primaryCurrency }: DemoBook) {
  const rates = yield* ratesOf();
  const values = new Map<DemoManualAccount, number>();
  for (const each of [...manualAccounts, ...plaidAccounts]) {
    const { balance, currency } = each;
    const value = yield* rates.convert(balance, currency, primaryCurrency, madeAt.slice(0, 10));
    values.set(each, value ?? 0);
  }
  return values;
}

function* fillCrypto(change: Change, { manualCrypto = [], syncedCrypto = [] }: DemoBook) {
  const ids = {
    manualCrypto: yield* insertEach(change, manualCryptoAccounts, manualCrypto, (each) => ({
      name: each.name,
      institution_name: each.institutionName,
      symbol: each.symbol,
      coingecko_id: each.coingeckoId,
      quantity: each.quantity,
      to_base: each.toBase,
      price_as_of: madeAt,
      balance_as_of: madeAt,
      created_by_name: linkedBy,
      ...made,
    })),
    syncedCrypto: yield* insertEach(change, cryptoAccounts, syncedCrypto, (each) => ({
      provider: each.provider,
      // As after a restore: without credentials it must be linked again.
      status: 'relink' as const,
      display_name: each.displayName,
      sealed_credentials: Buffer.of(0),
      created_by_name: linkedBy,
      last_import: madeAt,
      ...made,
    })),
  };
  const balances = syncedCrypto.flatMap((each, at) =>
    each.balances.map((balance) => ({
      account_id: ids.syncedCrypto[at]!,
      symbol: balance.symbol,
      name: balance.name,
      quantity: balance.quantity,
      coingecko_id: balance.coingeckoId,
      to_base: balance.toBase,
      price_as_of: madeAt,
      read_at: madeAt,
    })),
  );
  yield* change.insertAll(cryptoBalances, balances);
  return ids;
}

/** Inserts the balances of past months. */
export function* fillHistory(
  change: Change,
  { history = [] }: DemoBook,
  ids: AccountIds,
): Steps<void> {
  const idsOf = {
    manual: ids.manualAccounts,
    plaid: ids.plaidAccounts,
    crypto_manual: ids.manualCrypto,
    crypto_synced: ids.syncedCrypto,
  } satisfies Record<DemoHistory['kind'], readonly number[]>;
  for (const { kind, account, symbol, month, balance, currency, toBase, quantity } of history)
    yield* change.insert(balanceHistory, {
      ...accountColumns(kind, idsOf[kind][account]!, symbol),
      month,
      balance,
      currency,
      to_base: toBase,
      crypto_balance: quantity,
    });
}
