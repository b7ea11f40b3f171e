import { dayOf } from '@coffer/core/dates';
import type { Change } from '../../book/change.ts';
import { now, type Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { given, type Row } from '../../db/table.ts';
import { balanceHistory, deletedAccounts } from '../../db/tables/tables.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import { changed, noContent, ok } from '../../operations/responses.ts';
import { read, write, type Operation, type ReadOptions } from '../../operations/operation.ts';
import { recordOf } from '../../operations/records.ts';
import {
  detailsToWire,
  emptyDetailsProblems,
  entryToWire,
  rangeProblems,
  deletedToWire,
  isOpenIn,
  sourceToWire,
} from './rules.ts';
import type { WireSource } from './rules.ts';
import * as schema from './schema.ts';
import type {
  AccountHistory,
  BalanceHistoryUpdate,
  MonthQuery,
  SourceKind,
  CurrentBalance,
} from './schema.ts';
import {
  accountTarget,
  deletedTarget,
  syncedTarget,
  writeEntries,
  balanceSources,
} from './sources.ts';
import type { BookOfBalances, HistoryTarget } from './sources.ts';
import sql from 'sql-template-tag';
import { formatAmount } from '@coffer/core/money';
import { compareCodePoints } from '@coffer/core/text';
import type { CurrencyCode } from '../../operations/currencies.ts';
import { wireNumber } from '../../operations/schema.ts';
import { accountKey, accountOf, type EntryAccount, type HistoryRow } from './actions.ts';
import { accountKinds, type BalanceSource } from '../accounts/balance-source.ts';

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
function* historyOf(
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

const tag = 'balance-history';
const all = { path: '/v2/balance_history', tag } as const;
const account = {
  path: '/v2/balance_history/{account_type}/{account_id}',
  tag,
  params: schema.AccountHistoryPath,
} as const;
const synced = {
  path: '/v2/balance_history/crypto_synced/{account_id}/{symbol}',
  tag,
  params: schema.SyncedHistoryPath,
} as const;
const list = {
  query: schema.MonthQuery,
  response: ok(schema.BalanceHistoryList, 'The balances.'),
} as const;
const update = {
  body: schema.BalanceHistoryUpdate,
  response: changed(schema.AccountHistory, 'The entries of the request.'),
} as const;

/** The balance of the current month is part of a list, and becomes past when the month ends. */
const withMonth = { state: (_, nowMs) => dayOf(nowMs).slice(0, 7) } satisfies ReadOptions;

const readRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      ...list,
      id: 'getBalanceHistory',
      summary: 'List the balance history',
      description:
        'Returns the balances of all accounts at the ends of months, and the present balance as that of the ' +
        'current month. Without months it returns all. Accounts without a balance in these months are left out.',
    },
    function* ({ identity: { book }, query }) {
      return { balance_history: yield* listHistory(book, yield* monthsOf(query)) };
    },
    { isCached: true, ...withMonth },
  ),
  read(
    {
      ...account,
      ...list,
      id: 'getBalanceHistoryForAccount',
      summary: 'Get the balance history of an account',
    },
    function* ({ identity: { book }, params, query }) {
      const target = yield* targetOf(book, params.account_type, params.account_id);
      return { balance_history: [yield* historyOf(book, target, yield* monthsOf(query))] };
    },
    withMonth,
  ),
  read(
    {
      ...synced,
      ...list,
      id: 'getBalanceHistoryForCryptoSynced',
      summary: 'Get the balance history of a synced asset',
    },
    function* ({ identity: { book }, params, query }) {
      const target = yield* syncedTarget(book, params.account_id, params.symbol);
      return { balance_history: [yield* historyOf(book, target, yield* monthsOf(query))] };
    },
    withMonth,
  ),
];

const writeRoutes: readonly Operation[] = [
  write(
    'PUT',
    {
      ...account,
      ...update,
      id: 'upsertBalanceHistoryForAccount',
      summary: 'Write the balance history of an account',
      description: 'Creates or replaces balances of past months, all or none.',
    },
    function* ({ identity: { book }, params, body }, change) {
      const target = yield* targetOf(book, params.account_type, params.account_id);
      return yield* written(change, book, target, body);
    },
  ),
  write(
    'PUT',
    {
      ...synced,
      ...update,
      id: 'upsertBalanceHistoryForCryptoSynced',
      summary: 'Write the balance history of a synced asset',
      description: 'Creates or replaces balances of past months, all or none.',
    },
    function* ({ identity: { book }, params, body }, change) {
      const target = yield* syncedTarget(book, params.account_id, params.symbol);
      return yield* written(change, book, target, body);
    },
  ),
  write(
    'PUT',
    {
      path: '/v2/balance_history/deleted/{account_id}/details',
      tag,
      params: schema.DeletedAccountPath,
      id: 'updateBalanceHistoryDetails',
      summary: 'Update the details of a deleted account',
      body: schema.DeletedAccountUpdate,
      response: changed(schema.DeletedAccountDetails, 'The changed details.'),
    },
    function* ({ bookId, params, body }, change) {
      const noun = 'deleted balance history source';
      const before = yield* recordOf(deletedAccounts, noun, bookId, params.account_id);
      const problems = emptyDetailsProblems(body);
      if (problems.length > 0) throw bodyProblem(...problems);
      return detailsToWire(yield* change.update(deletedAccounts, before, given(body)));
    },
  ),
];

const deleteRoutes: readonly Operation[] = [
  write(
    'DELETE',
    {
      ...account,
      id: 'deleteBalanceHistoryForAccount',
      summary: 'Delete the balance history of an account',
      description:
        'The history of a deleted account is gone with it, and its id is no longer known.',
      response: noContent('The entries are deleted.'),
    },
    function* ({ identity: { book }, params: { account_type: type, account_id: id } }, change) {
      yield* removeEntries(change, yield* targetOf(book, type, id));
      if (type === 'deleted')
        yield* change.remove(deletedAccounts, yield* recordOf(deletedAccounts, type, book.id, id));
    },
  ),
  write(
    'DELETE',
    {
      ...synced,
      id: 'deleteBalanceHistoryForCryptoSynced',
      summary: 'Delete the balance history of a synced asset',
      response: noContent('The entries are deleted.'),
    },
    function* ({ identity: { book }, params }, change) {
      yield* removeEntries(change, yield* syncedTarget(book, params.account_id, params.symbol));
    },
  ),
  write(
    'DELETE',
    {
      path: '/v2/balance_history/entries/{id}',
      tag,
      params: schema.HistoryEntryPath,
      id: 'deleteBalanceHistoryEntry',
      summary: 'Delete an entry of the balance history',
      response: noContent('The entry is deleted.'),
    },
    function* ({ bookId, params }, change) {
      const noun = 'balance history entry';
      yield* change.remove(
        balanceHistory,
        yield* recordOf(balanceHistory, noun, bookId, params.id),
      );
    },
  ),
];

function targetOf(
  book: BookOfBalances,
  kind: Exclude<SourceKind, 'crypto_synced'>,
  id: number,
): Steps<HistoryTarget> {
  return kind === 'deleted' ? deletedTarget(book, id) : accountTarget(book, kind, id);
}

function* monthsOf(query: MonthQuery): Steps<MonthsOfList> {
  const thisMonth = (yield* now()).slice(0, 7);
  const details = rangeProblems(query, thisMonth);
  if (details.length > 0) throw new Problem('validation', { details });
  const { start_month: from, end_month: to } = query;
  const range = from === undefined || to === undefined ? null : { from, to };
  return { range, thisMonth };
}

function* written(
  change: Change,
  book: BookOfBalances,
  target: HistoryTarget,
  { balances }: BalanceHistoryUpdate,
): Steps<AccountHistory> {
  const rows = yield* writeEntries(change, book, target, balances);
  return { source: target.wire, balances: rows.map(entryToWire) };
}

function* removeEntries(change: Change, { columns }: HistoryTarget): Steps<void> {
  const where = { book_id: change.bookId, ...columns };
  yield* change.removeAll(balanceHistory, yield* select(balanceHistory, where));
}

/** The operations of this folder. */
export const balanceHistoryRoutes: readonly Operation[] = [
  ...readRoutes,
  ...writeRoutes,
  ...deleteRoutes,
];
