import sql, { join } from 'sql-template-tag';
import type { Change } from '../../changes/change.ts';
import type { KeptRecords } from '../../changes/kept-records.ts';
import { readChangedSince, readLater, readRemovals, readVersion } from '../../changes/log.ts';
import type { LoggedRecords } from '../../changes/log.ts';
import { netOf, pairsOf } from '../../changes/net.ts';
import type { NetRecords } from '../../changes/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { manualAccounts, transactions } from '../../db/tables.ts';
import { moveBalances, setBalance } from '../accounts/actions.ts';
import type { BalanceMove } from '../accounts/actions.ts';
import { movesOf } from '../transactions/actions.ts';
import type { TransactionRow } from '../transactions/actions.ts';

/** The columns by which a transaction moves a balance. */
const movingColumns = ['is_pending', 'amount', 'currency', 'date', 'manual_account_id'];

/**
 * Moves balances again by the transactions of an import that its undo leaves as they are: those that it keeps, and
 * those that users have deleted since. The undo has moved balances back by all transactions of the import, and what
 * users did since has moved them already. Transactions that the import posted may have another amount or account since.
 */
export function* countStaying(change: Change, version: number, kept: KeptRecords): Steps<void> {
  const logged = yield* readVersion(change.bookId, version);
  const hasMoved = ({ kind, record }: LoggedRecords): boolean =>
    kind === 'changed' && record === manualAccounts.name;
  const lines = netOf(logged);
  for (const line of lines)
    if (line.kind === 'made' && line.record === manualAccounts.name)
      yield* emptyKept(change, line, logged.filter(hasMoved), kept);
  const moves: BalanceMove[] = [];
  for (const line of lines)
    if (line.record === transactions.name) moves.push(...(yield* movesWith(change, line, kept)));
  yield* moveBalances(change, moves);
}

/** Takes back how the import moved the balances of accounts that it created, and that are kept. */
function* emptyKept(
  change: Change,
  { firstId, lastId }: NetRecords,
  moves: readonly LoggedRecords[],
  kept: KeptRecords,
): Steps<void> {
  for (const id of kept.idsOf(manualAccounts, { firstId, lastId })) {
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account === undefined) continue;
    const pairs = moves
      .filter((line) => line.firstId <= id && id <= line.lastId)
      .flatMap(({ diff }) => pairsOf(diff).filter(([name]) => name === 'balance'));
    const moved = pairs.reduce((sum, [, [from, to]]) => sum + Number(to) - Number(from), 0);
    yield* setBalance(change, account, account.balance - moved);
  }
}

/** Returns the moves that the undo of a line has not made, or has made although users had made them already. */
function* movesWith(change: Change, line: NetRecords, kept: KeptRecords): Steps<BalanceMove[]> {
  if (line.kind === 'changed' && !movingColumns.some((name) => name in line.diff!)) return [];
  const { bookId, version } = change;
  const staying = kept.idsOf(transactions, line);
  const changed =
    line.kind === 'changed'
      ? yield* readChangedSince(bookId, line, version)
      : yield* readRemovals(bookId, line, version);
  const isKept = new Set(staying);
  const moves: BalanceMove[] = [];
  const ids = [...new Set([...staying, ...changed])].toSorted((a, b) => a - b);
  for (const block of blocksOf(ids))
    for (const { original, current } of yield* statesOf(change, line, block, isKept)) {
      moves.push(...movesOf(original));
      if (line.kind !== 'changed') continue;
      moves.push(...negated(movesOf({ ...original, ...valuesOf(line, 'before') })));
      if (current === undefined || isKept.has(original.id)) continue;
      moves.push(...movesOf(current));
      moves.push(...negated(movesOf({ ...current, ...valuesOf(line, 'after') })));
    }
  return moves;
}

/** A transaction as the import left it, and as it is now. */
interface States {
  readonly original: TransactionRow;
  readonly current: TransactionRow | undefined;
}

/** Returns transactions of a line that exist, or that were removed since. */
function* statesOf(
  { bookId, version }: Change,
  line: NetRecords,
  ids: readonly number[],
  kept: ReadonlySet<number>,
): Steps<States[]> {
  const and = sql`id IN (${join([...ids])})`;
  const present = yield* select(transactions, { book_id: bookId }, { and });
  const byId = new Map(present.map((row) => [row.id, row]));
  const range = { record: line.record, firstId: ids[0]!, lastId: ids.at(-1)! };
  const later = yield* readLater(bookId, range, line.version);
  return ids.map((id) => {
    const own = later.filter(
      (each) => each.version < version && each.firstId <= id && id <= each.lastId,
    );
    const current = byId.get(id);
    // The row before this undo. The newest change comes first, so that the oldest one sets the values that stay.
    const isUndone = line.kind === 'changed' && current !== undefined;
    const start = isUndone && !kept.has(id) ? { ...current, ...valuesOf(line, 'after') } : current!;
    const original = own.toReversed().reduce<TransactionRow>((row, each) => {
      if (each.kind === 'removed') return { ...each.diff, book_id: bookId } as TransactionRow;
      return each.kind === 'changed' ? { ...row, ...valuesOf(each, 'before') } : row;
    }, start);
    return { original, current };
  });
}

/** The values of changed columns before a line, or after it. */
function valuesOf(
  { diff }: Pick<LoggedRecords, 'diff'>,
  when: 'before' | 'after',
): Partial<TransactionRow> {
  const at = when === 'before' ? 0 : 1;
  return Object.fromEntries(pairsOf(diff).map(([name, values]) => [name, values[at]]));
}

function negated(moves: readonly BalanceMove[]): BalanceMove[] {
  return moves.map((move) => ({ ...move, amount: -move.amount }));
}
