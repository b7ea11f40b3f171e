import { manualBalances, plaidBalances } from '../accounts/actions.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import {
  cryptoAccounts,
  cryptoBalances,
  deletedAccounts,
  manualCryptoAccounts,
  balanceHistory,
} from '../../db/tables/tables.ts';
import { notFound, Problem, bodyProblem } from '../../operations/problem.ts';
import { recordOf } from '../../operations/records.ts';
import type { Book } from '../../operations/caller.ts';
import { accountColumns, hasHistory, type HistoryRow } from './actions.ts';
import { deletedToWire, sourceToWire, entryProblems, lastDayOf, quantityOf } from './rules.ts';
import type { WireSource } from './rules.ts';
import { accountKinds, type BalanceSource, type AccountKind } from '../accounts/balance-source.ts';
import sql, { join } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { padded } from '../../db/blocks.ts';
import { given } from '../../db/table.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { ratesOf } from '../currencies/actions.ts';
import type { BalanceHistoryEntryUpdate } from './schema.ts';

/** The parts of a book that its balances depend on. */
export type BookOfBalances = Pick<Book, 'id' | 'primaryCurrency'>;

type SourceList = (book: BookOfBalances, asOf: string | null) => Steps<BalanceSource[]>;

/** The accounts of each kind, by id. */
const lists: Readonly<Record<AccountKind, SourceList>> = {
  manual: ({ id }, asOf) => manualBalances(id, asOf),
  plaid: ({ id }) => plaidBalances(id),
  crypto_manual: manualCryptoBalances,
  crypto_synced: syncedBalances,
};

/**
 * Returns all accounts of a book by kind and id. With `asOf`, a date, the balances of manual accounts are those at the
 * end of that day; of the others, the last known ones.
 */
export function* balanceSources(
  book: BookOfBalances,
  asOf: string | null = null,
): Steps<BalanceSource[]> {
  const sources: BalanceSource[] = [];
  for (const kind of accountKinds) sources.push(...(yield* lists[kind](book, asOf)));
  return sources;
}

/** The history that a request names. */
export interface HistoryTarget {
  readonly wire: WireSource;
  /** The account of its entries. */
  readonly columns: Partial<HistoryRow>;
  /** The symbol that new entries may have; null if any is tolerated. */
  readonly symbol: string | null;
  /** The currency of new entries by default. */
  readonly currency: string;
  /** The account with its present balance; null if it was deleted, or no longer holds the asset. */
  readonly account: BalanceSource | null;
}

const nouns = {
  manual: 'manual account',
  plaid: 'plaid account',
  crypto_manual: 'manual crypto account',
} as const;

/** Returns the history of an existing account. Throws a 404 without one. */
export function* accountTarget(
  book: BookOfBalances,
  kind: keyof typeof nouns,
  id: number,
): Steps<HistoryTarget> {
  const account = (yield* lists[kind](book, null)).find((each) => each.id === id);
  if (account === undefined) throw notFound(nouns[kind], id);
  const { currency, symbol } = account;
  const wire = sourceToWire(kind, id, symbol);
  return { wire, columns: accountColumns(kind, id), symbol, currency, account };
}

/** Returns the history of a deleted account. Throws a 404 without one. */
export function* deletedTarget(book: BookOfBalances, id: number): Steps<HistoryTarget> {
  const noun = 'deleted balance history source';
  const deleted = yield* recordOf(deletedAccounts, noun, book.id, id);
  const found = { wire: deletedToWire(deleted), columns: accountColumns('deleted', id) };
  return { ...found, symbol: null, currency: book.primaryCurrency, account: null };
}

/** Returns the history of an asset. Throws a 404 without the account, or if it has neither the asset nor entries. */
export function* syncedTarget(
  book: BookOfBalances,
  id: number,
  sentSymbol: string,
): Steps<HistoryTarget> {
  const symbol = sentSymbol.toLowerCase();
  const source = { kind: 'crypto_synced', id, symbol } as const;
  if ((yield* find(cryptoAccounts, { book_id: book.id, id })) === undefined)
    throw notFound('synced crypto account', id);
  const held = yield* syncedBalances(book);
  const account = held.find((each) => each.id === id && each.symbol === symbol) ?? null;
  if (account === null && !(yield* hasHistory(book.id, source))) {
    const errMsg =
      `There is no balance history of symbol '${sentSymbol}' in the synced crypto account with ` +
      `the id: ${id}.`;
    throw new Problem('recordNotFound', { details: [{ errMsg }] });
  }
  const wire = sourceToWire('crypto_synced', id, symbol);
  const columns = accountColumns('crypto_synced', id, symbol);
  return { wire, columns, symbol, currency: book.primaryCurrency, account };
}

function* syncedBalances({ id, primaryCurrency }: BookOfBalances): Steps<BalanceSource[]> {
  const accounts = yield* select(cryptoAccounts, { book_id: id });
  const created = new Map(accounts.map((account) => [account.id, account.created_at]));
  const balances = yield* select(cryptoBalances, { book_id: id });
  return balances.map(({ account_id, symbol, quantity, to_base }) => ({
    kind: 'crypto_synced',
    id: account_id,
    symbol,
    quantity,
    balance: to_base,
    toBase: to_base ?? 0,
    currency: primaryCurrency,
    openedOn: created.get(account_id)!.slice(0, 10),
    closedOn: null,
  }));
}

function* manualCryptoBalances({
  id: bookId,
  primaryCurrency,
}: BookOfBalances): Steps<BalanceSource[]> {
  const rows = yield* select(manualCryptoAccounts, { book_id: bookId });
  return rows.map(({ id, symbol, quantity, to_base, created_at }) => ({
    kind: 'crypto_manual',
    id,
    symbol,
    quantity,
    balance: to_base,
    toBase: to_base ?? 0,
    currency: primaryCurrency,
    openedOn: created_at.slice(0, 10),
    closedOn: null,
  }));
}

/**
 * Writes balances of past months, and returns their entries by month. An entry that exists keeps its `crypto_balance`
 * unless one is sent. Throws a Problem that lists all that is wrong.
 */
export function* writeEntries(
  change: Change,
  book: BookOfBalances,
  target: HistoryTarget,
  entries: readonly BalanceHistoryEntryUpdate[],
): Steps<HistoryRow[]> {
  const { wire, symbol, columns } = target;
  const rules = { type: wire.type, symbol, thisMonth: change.at.slice(0, 7) };
  const problems = entryProblems(entries, rules);
  if (problems.length > 0) throw bodyProblem(...problems);
  const months = entries.map(({ month }) => month);
  const and = sql`month IN (${join(padded(months, months[0]!))})`;
  const present = yield* select(balanceHistory, { book_id: book.id, ...columns }, { and });
  const known = new Map(present.map((row) => [row.month, row]));
  const written: HistoryRow[] = [];
  for (const entry of entries.toSorted((a, b) => (a.month < b.month ? -1 : 1))) {
    const values = yield* valuesOf(entry, entry.currency ?? target.currency, book.primaryCurrency);
    const before = known.get(entry.month);
    written.push(
      before === undefined
        ? yield* change.insert(balanceHistory, { ...columns, ...values, month: entry.month })
        : yield* change.update(balanceHistory, before, values),
    );
  }
  return written;
}

/** The columns of an entry. The rate is that of the last day of its month; without one, `to_base` is 0. */
function* valuesOf(
  { month, balance, crypto_balance: quantity }: BalanceHistoryEntryUpdate,
  currency: string,
  primaryCurrency: string,
) {
  const amount = parseAmountInput(balance)!;
  const rates = yield* ratesOf();
  const value = yield* rates.convert(amount, currency, primaryCurrency, lastDayOf(month));
  const crypto_balance = typeof quantity === 'string' ? quantityOf(quantity) : quantity;
  return { balance: amount, currency, to_base: value ?? 0, ...given({ crypto_balance }) };
}
