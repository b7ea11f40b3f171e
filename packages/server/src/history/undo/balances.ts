import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import type { SkippedRecords } from '../../book/skipped-records.ts';
import { readChangedSince, readRemovals } from '../../book/log.ts';
import { groupsOf, idsOf, lineWith, readEffect, spanOf, withDiffs } from '../../book/net.ts';
import type { NetRecords, VersionEffect } from '../../book/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { balanceAnchors, manualAccounts, transactions } from '../../db/tables/tables.ts';
import {
  moveBalances,
  setBalance,
  type BalanceMove,
  type ManualAccount,
  balanceEffect,
} from '../../ledger/accounts/actions.ts';
import {
  anchorBalance,
  asAnchored,
  balanceByAnchors,
  dropAnchors,
} from '../../ledger/accounts/anchors.ts';
import { type TransactionRow, movesOf } from '../../ledger/transactions/writes.ts';
import { statesOf, valuesOf } from './transaction-states.ts';

/**
 * How to move balances after the undo of a version, which moves them back by all that the version has moved: again by
 * the transactions that the undo keeps; and back by what later changes have moved because of the version, such as by
 * deleting a transaction that it had created.
 */
export interface BalanceCorrections {
  /** All accounts of the book, as they are now. */
  readonly accounts: readonly ManualAccount[];
  readonly moves: readonly BalanceMove[];
  /** What the version moved by its transactions, in accounts that it created and that are kept. */
  readonly emptied: ReadonlyMap<number, bigint>;
  /** The anchors that the version has made, changed or removed, by ranges of their ids. */
  readonly anchorLines: readonly NetRecords[];
  /** The accounts of those that exist. */
  readonly anchored: readonly number[];
  /** Whether the version has only set anchors. */
  readonly isOfAnchors: boolean;
}

/** Returns how to move balances after the undo of a version. Call it before the undo. */
export function* balanceCorrections(
  bookId: number,
  effect: VersionEffect,
  skipped: SkippedRecords,
): Steps<BalanceCorrections> {
  const { lines } = effect;
  const own = new VersionMoves(bookId, effect);
  const emptied = new Map<number, bigint>();
  for (const line of lines)
    if (line.kind === 'made' && line.record === manualAccounts.name)
      for (const id of skipped.idsOf(manualAccounts, line))
        emptied.set(id, yield* own.effectOn(id));
  const moves: LineMoves = { again: [], later: new Map() };
  for (const group of groupsOf(lines.filter(isOfTransaction)))
    yield* addMoves(bookId, effect, yield* movingIn(bookId, effect, group), skipped, moves);
  const all = yield* own.inMovedAccounts(moves.again);
  for (const [each, some] of moves.later) {
    const later = yield* readEffect(bookId, each);
    all.push(...(yield* new VersionMoves(bookId, later).inMovedAccounts(some)));
  }
  const accounts = yield* select(manualAccounts, { book_id: bookId });
  const anchorLines = lines.filter(({ record }) => record === balanceAnchors.name);
  const anchored = yield* accountsOfAnchors(bookId, anchorLines);
  const isOfAnchors = lines.every(({ record }) =>
    [manualAccounts.name, balanceAnchors.name].includes(record),
  );
  return { accounts, moves: all, emptied, anchorLines, anchored, isOfAnchors };
}

function* accountsOfAnchors(bookId: number, lines: readonly NetRecords[]): Steps<number[]> {
  const ids: number[] = [];
  for (const { firstId, lastId } of lines) {
    const and = sql`id BETWEEN ${firstId} AND ${lastId}`;
    for (const row of yield* select(balanceAnchors, { book_id: bookId }, { and }))
      if (row.manual_account_id !== null) ids.push(row.manual_account_id);
  }
  return ids;
}

/**
 * Makes the balances anchors of today where they do not follow from the anchors after an undo: what later writes have
 * said of them stays. The anchors of an account that is gone go with it. Call it after
 * {@link correctBalances}.
 */
export function* anchorUndone(
  change: Change,
  { accounts, anchorLines, anchored }: BalanceCorrections,
): Steps<void> {
  const { bookId } = change;
  const now = new Map(
    (yield* select(manualAccounts, { book_id: bookId })).map((row) => [row.id, row]),
  );
  const moved = accounts.filter(({ id, balance }) => now.get(id)?.balance !== balance);
  const touched = [...anchored, ...(yield* accountsOfAnchors(bookId, anchorLines))];
  for (const id of new Set([...moved.map((each) => each.id), ...touched])) {
    const account = now.get(id);
    if (account === undefined) yield* dropAnchors(change, { kind: 'manual', id });
    else if (!(yield* isByAnchors(account))) yield* anchorBalance(change, id);
  }
}

function* isByAnchors(account: ManualAccount): Steps<boolean> {
  const balance = yield* balanceByAnchors(asAnchored(account));
  return balance === null || balance === BigInt(account.balance);
}

/** Moves balances after the undo of a version. */
export function* correctBalances(
  change: Change,
  { moves, emptied }: BalanceCorrections,
): Steps<void> {
  for (const [id, effect] of emptied) {
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account !== undefined)
      yield* setBalance(change, account, Number(BigInt(account.balance) - effect));
  }
  yield* moveBalances(change, moves, { isLater: true });
}

/**
 * Whether something is different after an undo: it has not only moved the balances of accounts, and moved them back,
 * with the anchors of that.
 */
export function* isDifferent(
  change: Change,
  { accounts, isOfAnchors }: BalanceCorrections,
): Steps<boolean> {
  const balances = [manualAccounts.name, ...(isOfAnchors ? [] : [balanceAnchors.name])];
  if (change.tables.some(({ name }) => !balances.includes(name))) return true;
  const now = yield* select(manualAccounts, { book_id: change.bookId });
  return !isDeepStrictEqual(accounts.map(withoutTimes), now.map(withoutTimes));
}

function withoutTimes({ balance_as_of: _, updated_at: __, ...row }: ManualAccount) {
  return row;
}

interface LineMoves {
  /** What the version moved by transactions that the undo keeps. */
  readonly again: BalanceMove[];
  /** What later versions moved otherwise than they would have without this one. */
  readonly later: Map<number, BalanceMove[]>;
}

function* addMoves(
  bookId: number,
  { version }: VersionEffect,
  lines: readonly NetRecords[],
  skipped: SkippedRecords,
  { again, later }: LineMoves,
): Steps<void> {
  const skippedIds = new Set(lines.flatMap((line) => skipped.idsOf(transactions, line)));
  const ids = new Set([...skippedIds, ...(yield* changedSince(bookId, lines))]);
  const read = ids.size === 0 ? [] : yield* withDiffs(bookId, version, lines);
  for (const block of blocksOf([...ids].toSorted((a, b) => a - b)))
    for (const states of yield* statesOf(bookId, read, block)) {
      if (skippedIds.has(states.id)) again.push(...movesBetween(states.before, states.after));
      else
        for (const { version: own, from, to } of states.later) {
          const { line } = states;
          const moves = later.get(own) ?? [];
          moves.push(...movesBetween(to, from));
          moves.push(...movesBetween(undone(line, from), undone(line, to)));
          later.set(own, moves);
        }
    }
}

/** A transaction as it would have been without the version. */
function undone(line: NetRecords, row: TransactionRow | undefined): TransactionRow | undefined {
  if (line.kind !== 'changed' || row === undefined) return undefined;
  return { ...row, ...valuesOf(line, 'before') };
}

/** Returns the ids of transactions of a group of lines that were changed after it. */
function* changedSince(bookId: number, lines: readonly NetRecords[]): Steps<number[]> {
  const changed = lines.filter(({ kind }) => kind === 'changed');
  const made = lines.filter(({ kind }) => kind === 'made' || kind === 'replaced');
  const later = changed.length === 0 ? [] : yield* readChangedSince(bookId, spanOf(changed));
  const removed = made.length === 0 ? [] : yield* readRemovals(bookId, spanOf(made));
  return [
    ...later.filter((id) => lineWith(changed, id) !== undefined),
    ...removed.filter((id) => lineWith(made, id) !== undefined),
  ];
}

/** The columns by which a transaction moves a balance. */
const movingColumns = [
  'is_pending',
  'amount',
  'currency',
  'date',
  'manual_account_id',
  'is_group_parent',
  'split_parent_id',
];

/** The moves of a version by its transactions. Requests can leave the balances of all accounts as they are. */
class VersionMoves {
  readonly #bookId: number;
  readonly #effect: VersionEffect;
  /** Lines that move the balance of an account, or create or remove it. */
  readonly #moving: readonly NetRecords[];
  #all: BalanceMove[] | null = null;

  constructor(bookId: number, effect: VersionEffect) {
    this.#bookId = bookId;
    this.#effect = effect;
    this.#moving = effect.lines.filter(
      ({ record, kind, diff }) =>
        record === manualAccounts.name && (kind !== 'changed' || 'balance' in diff!),
    );
  }

  /** Returns some of the moves, without those in accounts whose balance the version left as it was. */
  *inMovedAccounts(moves: readonly BalanceMove[]): Steps<BalanceMove[]> {
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
    const { version, lines } = this.#effect;
    for (const group of groupsOf(lines.filter(isOfTransaction))) {
      const moving = yield* movingIn(this.#bookId, this.#effect, group);
      const read = yield* withDiffs(this.#bookId, version, moving);
      for (const block of blocksOf(read.flatMap(idsOf)))
        for (const states of yield* statesOf(this.#bookId, read, block))
          moves.push(...movesBetween(states.before, states.after));
    }
    return moves;
  }
}

function isOfTransaction({ record }: NetRecords): boolean {
  return record === transactions.name;
}

/** Returns those of a group of lines about transactions that can move balances. Changed ones have their diffs. */
function* movingIn(
  bookId: number,
  { version }: VersionEffect,
  group: readonly NetRecords[],
): Steps<NetRecords[]> {
  const changed = group.filter(({ kind }) => kind === 'changed');
  const read = Map.groupBy(yield* withDiffs(bookId, version, changed), ({ firstId }) => firstId);
  const isMoving = ({ kind, diff }: NetRecords): boolean =>
    kind !== 'changed' || movingColumns.some((name) => name in diff!);
  return group.map((line) => read.get(line.firstId)?.[0] ?? line).filter(isMoving);
}

/** What a change of a transaction moves, by the rules of the API. */
function movesBetween(
  from: TransactionRow | undefined,
  to: TransactionRow | undefined,
): BalanceMove[] {
  const back = from === undefined ? [] : movesOf(from);
  const forth = to === undefined ? [] : movesOf(to);
  return [...back.map((move) => ({ ...move, amount: -move.amount })), ...forth];
}
