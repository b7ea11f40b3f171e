import sql from 'sql-template-tag';
import { formatAmount } from '@coffer/core/money';
import { compareCodePoints } from '@coffer/core/text';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { balanceHistory, deletedAccounts } from '../../db/tables/tables.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { wireNumber } from '../../operations/schema.ts';
import { accountKey, accountOf } from './actions.ts';
import type { EntryAccount, HistoryRow } from './actions.ts';
import type { BalanceSource } from '../accounts/balance-source.ts';
import { deletedToWire, entryToWire, isOpenIn, sourceToWire } from './rules.ts';
import type { WireSource } from './rules.ts';
import { accountKinds } from '../accounts/balance-source.ts';
import type { AccountHistory, CurrentBalance, SourceKind } from './schema.ts';
import { balanceSources } from './sources.ts';
import type { BookOfBalances, HistoryTarget } from './sources.ts';

/** Months, both inclusive. */
export interface MonthRange {
  readonly from: string;
  readonly to: string;
}

/** The months of a list, and the current month. Without a range the list has all months. */
export interface MonthsOfList {
  readonly range: MonthRange | null;
  readonly thisMonth: string;
}

/** Returns the balances of every account that has some in the months: existing accounts first, then deleted ones. */
export function* listHistory(book: BookOfBalances, months: MonthsOfList): Steps<AccountHistory[]> {
  const rows = yield* entriesIn({ book_id: book.id }, months);
  const byAccount = Map.groupBy(rows, (row) => accountKey(accountOf(row)));
  const accounts = new Map<string, BalanceSource>();
  for (const each of yield* balanceSources(book)) accounts.set(accountKey(each), each);
  const deleted = yield* select(deletedAccounts, { book_id: book.id });
  const details = new Map(deleted.map((row) => [row.id, row]));
  return [...new Set([...accounts.keys(), ...byAccount.keys()])]
    .map((key): HistorySourceOfList => {
      const account = accounts.get(key) ?? null;
      const ofAccount = byAccount.get(key) ?? [];
      return { ...(account ?? accountOf(ofAccount[0]!)), account, rows: ofAccount };
    })
    .sort(compareSources)
    .map((each) => historyWith(wireOf(each, details), each.rows, each.account, months))
    .filter(({ balances }) => balances.length > 0);
}

/** An account of a list. It has no `account` if it was deleted, or no longer holds the asset. */
interface HistorySourceOfList extends EntryAccount {
  readonly account: BalanceSource | null;
  readonly rows: readonly HistoryRow[];
}

const kinds: readonly SourceKind[] = [...accountKinds, 'deleted'];

function compareSources(one: HistorySourceOfList, other: HistorySourceOfList): number {
  return (
    kinds.indexOf(one.kind) - kinds.indexOf(other.kind) ||
    one.id - other.id ||
    compareCodePoints(one.symbol ?? '', other.symbol ?? '')
  );
}

function wireOf(
  { kind, id, symbol }: EntryAccount,
  details: ReadonlyMap<number, Row<typeof deletedAccounts>>,
): WireSource {
  return kind === 'deleted' ? deletedToWire(details.get(id)!) : sourceToWire(kind, id, symbol);
}

/** Returns the balances of one account in the months. */
export function* historyOf(
  book: BookOfBalances,
  target: HistoryTarget,
  months: MonthsOfList,
): Steps<AccountHistory> {
  const rows = yield* entriesIn({ book_id: book.id, ...target.columns }, months);
  return historyWith(target.wire, rows, target.account, months);
}

function* entriesIn(where: Partial<HistoryRow>, { range }: MonthsOfList): Steps<HistoryRow[]> {
  const orderBy = ['month', 'id'];
  if (range === null) return yield* select(balanceHistory, where, { orderBy });
  const and = sql`month BETWEEN ${range.from} AND ${range.to}`;
  return yield* select(balanceHistory, where, { and, orderBy });
}

function historyWith(
  source: WireSource,
  rows: readonly HistoryRow[],
  account: BalanceSource | null,
  { range, thisMonth }: MonthsOfList,
): AccountHistory {
  const hasCurrent = range === null || range.to >= thisMonth;
  const current = account === null || !hasCurrent ? null : currentOf(account, thisMonth);
  // What was stored for this month, by a clock that was ahead, gives way to the present balance.
  const past = rows.filter((row) => row.month < thisMonth).map(entryToWire);
  return { source, balances: current === null ? past : [...past, current] };
}

function currentOf(account: BalanceSource, month: string): CurrentBalance | null {
  const { balance, currency, toBase, quantity, closedOn } = account;
  // It exists now, even if a clock that was ahead has recorded a later opening.
  if (balance === null || !isOpenIn(month, { openedOn: month, closedOn })) return null;
  return {
    type: 'current',
    month,
    balance: formatAmount(balance),
    currency: currency as CurrencyCode,
    to_base: wireNumber(toBase),
    crypto_balance: quantity,
  };
}
