import { readVersion } from '../../book/logged.ts';
import type { LoggedRecords } from '../../book/log.ts';
import { netOf } from '../../book/net.ts';
import type { NetRecords } from '../../book/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { manualAccounts, transactions } from '../../db/tables/tables.ts';
import { balanceEffect, type BalanceMove } from '../../ledger/accounts/balances.ts';
import { movesOf, type TransactionRow } from '../../ledger/transactions/writes.ts';
import { statesOf } from './transaction-states.ts';
import type { States } from './transaction-states.ts';

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
export class OwnMoves {
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

/** Reads the moves of a version. */
export function* ownMovesOfVersion(bookId: number, version: number): Steps<OwnMoves> {
  const logged = yield* readVersion(bookId, version);
  return new OwnMoves(bookId, logged, netOf(logged));
}

/** The lines about transactions that can move balances. */
export function movingLines(lines: readonly NetRecords[]): NetRecords[] {
  return lines.filter(
    ({ record, kind, diff }) =>
      record === transactions.name &&
      (kind !== 'changed' || movingColumns.some((name) => name in diff!)),
  );
}

/** What a version moved by one transaction. */
export function ownMovesOf({ before, after }: States): BalanceMove[] {
  return between(before, after);
}

/** What a change of a transaction moves, by the rules of the API. */
export function between(
  from: TransactionRow | undefined,
  to: TransactionRow | undefined,
): BalanceMove[] {
  const back = from === undefined ? [] : movesOf(from);
  const forth = to === undefined ? [] : movesOf(to);
  return [...back.map((move) => ({ ...move, amount: -move.amount })), ...forth];
}

/** The ids of a line. */
export function idsOf({ firstId, lastId }: NetRecords): number[] {
  return Array.from({ length: lastId - firstId + 1 }, (_, at) => firstId + at);
}
