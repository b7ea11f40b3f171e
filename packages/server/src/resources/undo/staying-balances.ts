import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../changes/change.ts';
import type { KeptRecords } from '../../changes/kept-records.ts';
import { readChangedSince, readRemovals, readVersion } from '../../changes/logged.ts';
import type { LoggedRecords } from '../../changes/log.ts';
import { readLines } from '../../changes/many-removed.ts';
import { netOf } from '../../changes/net.ts';
import type { NetRecords } from '../../changes/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { manualAccounts, transactions } from '../../db/tables.ts';
import { balanceEffect, moveBalances, setBalance } from '../accounts/actions.ts';
import type { BalanceMove, ManualAccount } from '../accounts/actions.ts';
import { movesOf } from '../transactions/actions.ts';
import { statesOf, valuesOf } from './transaction-states.ts';
import type { States } from './transaction-states.ts';

/** The columns by which a transaction moves a balance. */
const movingColumns = [
  ...['is_pending', 'amount', 'currency', 'date', 'manual_account_id'],
  ...['is_group_parent', 'split_parent_id'],
];

/**
 * How to move balances after the undo of a version, which moves them back by all that the version has moved: again by
 * the transactions that the undo keeps; and back by what later changes have moved because of the version, such as by
 * deleting a transaction that it had created.
 */
export interface StayingBalances {
  /** The lines of the version. */
  readonly lines: readonly NetRecords[];
  /** The accounts that the version has changed, as they are now. Null if it has created or removed others. */
  readonly accounts: readonly ManualAccount[] | null;
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
  const staying: BalanceMove[] = [];
  const later: BalanceMove[] = [];
  for (const line of movingLines(lines)) {
    const moves = yield* movesWith(bookId, line, kept);
    staying.push(...moves.staying);
    later.push(...moves.later);
  }
  const accounts = yield* accountsOf(bookId, lines);
  return { lines, accounts, moves: [...(yield* own.withoutSkipped(staying)), ...later], emptied };
}

function* accountsOf(bookId: number, lines: readonly NetRecords[]): Steps<ManualAccount[] | null> {
  const own = lines.filter(({ record }) => record === manualAccounts.name);
  if (own.some(({ kind }) => kind !== 'changed')) return null;
  const accounts: ManualAccount[] = [];
  for (const id of own.flatMap(idsOf)) {
    const account = yield* find(manualAccounts, { book_id: bookId, id });
    if (account !== undefined) accounts.push(account);
  }
  return accounts;
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
  if (accounts === null || change.tables.some(({ name }) => name !== manualAccounts.name))
    return false;
  for (const row of accounts) {
    const now = yield* find(manualAccounts, { book_id: change.bookId, id: row.id });
    if (now === undefined || !isDeepStrictEqual(withoutTimes(row), withoutTimes(now))) return false;
  }
  return true;
}

function withoutTimes({ balance_as_of: _, updated_at: __, ...row }: ManualAccount) {
  return row;
}

/** The moves of a version by its transactions. Requests can leave the balances of all accounts as they are. */
class OwnMoves {
  readonly #bookId: number;
  readonly #lines: readonly NetRecords[];
  /** Lines that move the balance of an account, or create or remove it. */
  readonly #moving: readonly LoggedRecords[];
  #all: BalanceMove[] | null = null;

  constructor(bookId: number, logged: readonly LoggedRecords[], lines: readonly NetRecords[]) {
    this.#bookId = bookId;
    this.#lines = lines;
    this.#moving = logged.filter(
      ({ record, kind, diff }) =>
        record === manualAccounts.name && (kind !== 'changed' || 'balance' in diff!),
    );
  }

  /** Returns some of the moves, without those in accounts whose balance the version left as it was. */
  *withoutSkipped(moves: readonly BalanceMove[]): Steps<BalanceMove[]> {
    const left: BalanceMove[] = [];
    for (const [id, some] of Map.groupBy(moves, ({ accountId }) => accountId)) {
      const isMoved = this.#moving.some((line) => line.firstId <= id && id <= line.lastId);
      // The moves of a version can be zero together.
      if (isMoved || (yield* this.effectOn(id)) === 0n) left.push(...some);
    }
    return left;
  }

  /** Returns by how much all moves of the version change a balance. */
  *effectOn(id: number): Steps<bigint> {
    const account = yield* find(manualAccounts, { book_id: this.#bookId, id });
    if (account === undefined) return 0n;
    this.#all ??= yield* this.#readAll();
    const own = this.#all.filter(({ accountId }) => accountId === id);
    return yield* balanceEffect(account, own);
  }

  *#readAll(): Steps<BalanceMove[]> {
    const moves: BalanceMove[] = [];
    for (const line of movingLines(this.#lines))
      for (const block of blocksOf(idsOf(line)))
        for (const states of yield* statesOf(this.#bookId, line, block))
          moves.push(...ownMovesOf(states));
    return moves;
  }
}

/** The lines about transactions that can move balances. */
function movingLines(lines: readonly NetRecords[]): NetRecords[] {
  return lines.filter(
    ({ record, kind, diff }) =>
      record === transactions.name &&
      (kind !== 'changed' || movingColumns.some((name) => name in diff!)),
  );
}

interface LineMoves {
  /** What the version moved by transactions that the undo keeps. */
  readonly staying: BalanceMove[];
  /** What later changes moved otherwise than they would have without the version. */
  readonly later: BalanceMove[];
}

function* movesWith(bookId: number, line: NetRecords, kept: KeptRecords): Steps<LineMoves> {
  const staying = new Set(kept.idsOf(transactions, line));
  const ids = new Set([...staying, ...(yield* changedSince(bookId, line))]);
  const moves: LineMoves = { staying: [], later: [] };
  for (const block of blocksOf([...ids].toSorted((a, b) => a - b)))
    for (const states of yield* statesOf(bookId, line, block)) {
      const { id, before, now } = states;
      const own = ownMovesOf(states);
      if (staying.has(id)) moves.staying.push(...own);
      else if (now === undefined) moves.later.push(...own);
      else if (before !== undefined) {
        const undone = { ...now, ...valuesOf(line, 'before') };
        moves.later.push(...negated(movesOf(now)), ...own, ...movesOf(undone));
      }
    }
  return moves;
}

function* changedSince(bookId: number, line: NetRecords): Steps<number[]> {
  if (line.kind === 'removed') return [];
  return yield* line.kind === 'changed'
    ? readChangedSince(bookId, line)
    : readRemovals(bookId, line);
}

/** What a version moved by one transaction. */
function ownMovesOf({ before, after }: States): BalanceMove[] {
  return [
    ...negated(before === undefined ? [] : movesOf(before)),
    ...(after === undefined ? [] : movesOf(after)),
  ];
}

function idsOf({ firstId, lastId }: NetRecords): number[] {
  return Array.from({ length: lastId - firstId + 1 }, (_, at) => firstId + at);
}

function negated(moves: readonly BalanceMove[]): BalanceMove[] {
  return moves.map((move) => ({ ...move, amount: -move.amount }));
}
