import type { Decimal } from '../../statement/amounts.ts';
import type { StatementWarning } from '../../statement/statement.ts';
import { checkBalances, checkedBalances, type BookedTotal } from './balances.ts';
import type { ReadEntry } from './entry.ts';
import type { RawEntry, RawStatement } from './raw.ts';

/** Totals the booked entries of each statement, to check its balances with. */
export class BookedTotals {
  readonly #decimal: Decimal | undefined;
  /** By the index of the statement. */
  readonly #totals = new Map<number, BookedTotal>();

  constructor(decimal: Decimal | undefined) {
    this.#decimal = decimal;
  }

  add({ statement }: RawEntry, { entry, moved }: ReadEntry): void {
    const { currency } = entry;
    const total = this.#totals.get(statement.index) ?? { amount: 0n, currency };
    if (total.currency !== currency) total.currency = null;
    total.amount += BigInt(moved);
    this.#totals.set(statement.index, total);
  }

  /** A warning if the balances of a statement do not follow from its entries. */
  check({ index, balances }: RawStatement): StatementWarning | null {
    return checkBalances(checkedBalances(balances, this.#decimal), this.#totals.get(index));
  }
}
