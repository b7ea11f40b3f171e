import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select, type Where } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { balanceHistory, deletedAccounts } from '../../db/tables/tables.ts';
import type { SourceKind } from './schema.ts';
import type { HistorySource } from '../accounts/balance-source.ts';

export type HistoryRow = Row<typeof balanceHistory>;

/** What is kept of an account that is deleted. */
export type DeletedDetails = Partial<Omit<Row<typeof deletedAccounts>, 'id' | 'book_id'>>;

const columns = {
  manual: 'manual_account_id',
  plaid: 'plaid_account_id',
  crypto_manual: 'crypto_manual_id',
  crypto_synced: 'crypto_synced_id',
  deleted: 'deleted_account_id',
} as const;

/** Returns the account of an entry as columns, for conditions and new entries. */
export function accountColumns(
  kind: SourceKind,
  id: number,
  symbol?: string | null,
): Partial<HistoryRow> {
  const stream = kind === 'crypto_synced' && typeof symbol === 'string' ? { symbol } : {};
  return { [columns[kind]]: id, ...stream };
}

/** The account of an entry. */
export interface EntryAccount {
  readonly kind: SourceKind;
  readonly id: number;
  readonly symbol: string | null;
}

/** Returns the account of an entry. Throws for one without. */
export function accountOf(row: HistoryRow): EntryAccount {
  for (const [kind, column] of Object.entries(columns)) {
    const id = row[column];
    if (id !== null) return { kind: kind as SourceKind, id, symbol: row.symbol };
  }
  throw new Error(`The entry ${row.id} of the balance history has no account`);
}

/** Returns a text for each account, and each asset of a synced crypto account, to compare them by. */
export function accountKey({ kind, id, symbol }: EntryAccount): string {
  return kind === 'crypto_synced' ? `${kind} ${id} ${symbol}` : `${kind} ${id}`;
}

/** Returns whether an account has entries. */
export function* hasHistory(bookId: number, source: HistorySource): Steps<boolean> {
  return (yield* find(balanceHistory, whereOf(bookId, source))) !== undefined;
}

/** Removes the entries of an account. */
export function* dropHistory(change: Change, source: HistorySource): Steps<void> {
  yield* change.removeAll(balanceHistory, yield* entriesOf(change.bookId, source));
}

/**
 * Keeps the entries of an account that is about to be removed: they become those of a deleted account with these
 * details. Each asset of a synced crypto account becomes one. Does nothing for an account without entries.
 */
export function* keepHistory(
  change: Change,
  source: HistorySource,
  details: DeletedDetails,
): Steps<void> {
  const entries = yield* entriesOf(change.bookId, source);
  for (const [symbol, ofSymbol] of Map.groupBy(entries, (entry) => entry.symbol)) {
    const { id } = yield* change.insert(deletedAccounts, {
      name: details.name ?? null,
      institution_name: details.institution_name ?? null,
      display_name: details.display_name ?? null,
      account_type: details.account_type ?? null,
      subtype: details.subtype ?? null,
      mask: details.mask ?? null,
      symbol: symbol ?? source.symbol ?? details.symbol ?? null,
    });
    yield* change.updateAll(balanceHistory, ofSymbol, {
      [columns[source.kind]]: null,
      symbol: null,
      deleted_account_id: id,
    });
  }
}

/**
 * Moves the entries of an account that is about to be removed to another account. Entries of months that the other
 * account has already are kept as those of a deleted account with these details.
 */
export function* moveHistory(
  change: Change,
  from: HistorySource,
  into: HistorySource,
  details: DeletedDetails,
): Steps<void> {
  const known = yield* entriesOf(change.bookId, into);
  const months = new Set(known.map(({ month }) => month));
  const entries = yield* entriesOf(change.bookId, from);
  const free = entries.filter(({ month }) => !months.has(month));
  yield* change.updateAll(balanceHistory, free, {
    [columns[from.kind]]: null,
    ...accountColumns(into.kind, into.id),
  });
  yield* keepHistory(change, from, details);
}

function* entriesOf(bookId: number, source: HistorySource): Steps<HistoryRow[]> {
  return yield* select(balanceHistory, whereOf(bookId, source));
}

function whereOf(
  bookId: number,
  { kind, id, symbol }: HistorySource,
): Where<typeof balanceHistory> {
  return { book_id: bookId, ...accountColumns(kind, id, symbol) };
}
