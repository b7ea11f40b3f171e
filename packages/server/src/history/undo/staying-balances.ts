import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../book/change.ts';
import type { KeptRecords } from '../../book/kept-records.ts';
import { readChangedSince, readRemovals, readVersion } from '../../book/logged.ts';
import { readLines } from '../../book/many-removed.ts';
import { netOf } from '../../book/net.ts';
import type { NetRecords } from '../../book/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { manualAccounts, transactions } from '../../db/tables/tables.ts';
import { moveBalances, setBalance } from '../../ledger/accounts/balances.ts';
import type { BalanceMove, ManualAccount } from '../../ledger/accounts/balances.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';
import { between, movingLines, OwnMoves } from './own-moves.ts';
import { ownMovesOf, ownMovesOfVersion } from './own-moves.ts';
import { statesOf, valuesOf } from './transaction-states.ts';

/**
 * How to move balances after the undo of a version, which moves them back by all that the version has moved: again by
 * the transactions that the undo keeps; and back by what later changes have moved because of the version, such as by
 * deleting a transaction that it had created.
 */
export interface StayingBalances {
  /** The lines of the version. */
  readonly lines: readonly NetRecords[];
  /** All accounts of the book, as they are now. */
  readonly accounts: readonly ManualAccount[];
  readonly moves: readonly BalanceMove[];
  /** What the version moved by its transactions, in accounts that it created and that are kept. */
  readonly emptied: ReadonlyMap<number, bigint>;
}

/** Returns how to move balances after the undo of a version. Call it before the undo. */
export function* stayingBalances(
  bookId: number,
  version: number,
  kept: KeptRecords,
): Steps<StayingBalances> {
  const logged =
    kept.conflicts.length > 0
      ? yield* readVersion(bookId, version)
      : (yield* readLines(bookId, version)).lines;
  const lines = netOf(logged);
  // What belongs to the kept records is kept, too.
  if (kept.conflicts.length > 0) yield* kept.withoutKept(bookId, lines);
  const own = new OwnMoves(bookId, logged, lines);
  const emptied = new Map<number, bigint>();
  for (const line of lines)
    if (line.kind === 'made' && line.record === manualAccounts.name)
      for (const id of kept.idsOf(manualAccounts, line)) emptied.set(id, yield* own.effectOn(id));
  const moves: LineMoves = { staying: [], later: new Map() };
  for (const line of movingLines(lines)) yield* addMoves(bookId, line, kept, moves);
  const all = yield* own.withoutSkipped(moves.staying);
  for (const [each, some] of moves.later)
    all.push(...(yield* (yield* ownMovesOfVersion(bookId, each)).withoutSkipped(some)));
  const accounts = yield* select(manualAccounts, { book_id: bookId });
  return { lines, accounts, moves: all, emptied };
}

/** Moves balances after the undo of a version. Returns false if nothing is different after the undo. */
export function* moveStaying(change: Change, staying: StayingBalances): Steps<boolean> {
  if (change.isEmpty) return false;
  const { accounts, moves, emptied } = staying;
  for (const [id, effect] of emptied) {
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account !== undefined)
      yield* setBalance(change, account, Number(BigInt(account.balance) - effect));
  }
  yield* moveBalances(change, moves);
  return !(yield* areEqual(change, accounts));
}

/** Whether a change has only moved the balances of accounts, and moved them back. */
function* areEqual(change: Change, accounts: StayingBalances['accounts']): Steps<boolean> {
  if (change.tables.some(({ name }) => name !== manualAccounts.name)) return false;
  const now = yield* select(manualAccounts, { book_id: change.bookId });
  return isDeepStrictEqual(accounts.map(withoutTimes), now.map(withoutTimes));
}

function withoutTimes({ balance_as_of: _, updated_at: __, ...row }: ManualAccount) {
  return row;
}

interface LineMoves {
  /** What the version moved by transactions that the undo keeps. */
  readonly staying: BalanceMove[];
  /** What later versions moved otherwise than they would have without this one. */
  readonly later: Map<number, BalanceMove[]>;
}

/** Adds the moves of a line. */
function* addMoves(
  bookId: number,
  line: NetRecords,
  kept: KeptRecords,
  { staying, later }: LineMoves,
): Steps<void> {
  const keptIds = new Set(kept.idsOf(transactions, line));
  const ids = new Set([...keptIds, ...(yield* changedSince(bookId, line))]);
  for (const block of blocksOf([...ids].toSorted((a, b) => a - b)))
    for (const states of yield* statesOf(bookId, line, block)) {
      if (keptIds.has(states.id)) staying.push(...ownMovesOf(states));
      else
        for (const { version, from, to } of states.later) {
          const without = between(undone(line, from), undone(line, to));
          const moves = [...between(to, from), ...without];
          later.set(version, [...(later.get(version) ?? []), ...moves]);
        }
    }
}

/** A transaction as it would have been without the version. */
function undone(line: NetRecords, row: TransactionRow | undefined): TransactionRow | undefined {
  if (line.kind !== 'changed' || row === undefined) return undefined;
  return { ...row, ...valuesOf(line, 'before') };
}

function* changedSince(bookId: number, line: NetRecords): Steps<number[]> {
  if (line.kind === 'removed') return [];
  return yield* line.kind === 'changed'
    ? readChangedSince(bookId, line)
    : readRemovals(bookId, line);
}
