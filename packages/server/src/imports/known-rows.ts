import { daysApart } from '@coffer/core/dates';
import { bankIdOf, plainId, sharedId } from './bank-ids.ts';
import type { BankId, ImportEntry } from './entry.ts';
import { payeeOf } from './entry.ts';

/** A transaction that the book had before the import, under an id of the bank. */
export interface KnownRow {
  readonly id: number;
  readonly externalId: string;
  readonly date: string;
  /** As the bank writes it: ten-thousandths, money out negative. */
  readonly amount: number;
  /** The payee that it came with. */
  readonly payee: string;
}

/** The fewest days between two transactions of one amount that are two, and not one whose date was corrected. */
const fewestDaysApart = 7;

/**
 * The transactions of one account that the book has under one id of the bank. Each of them stands for one entry of a
 * file at most: what is claimed is not found again.
 */
export class KnownRows {
  readonly #byId: ReadonlyMap<string, KnownRow>;
  readonly #rows: readonly KnownRow[];
  // Most entries are found by their ids, so the other ways are made when they are needed.
  #byMoney: Map<string, KnownRow[]> | undefined;
  #byText: Map<string, KnownRow[]> | undefined;
  readonly #claimed: Set<number>;

  /** `claimed` gathers the ids of claimed rows, for all ids of the bank together. */
  constructor(rows: readonly KnownRow[], claimed: Set<number>) {
    this.#claimed = claimed;
    this.#rows = rows;
    this.#byId = new Map(rows.map((row) => [row.externalId, row]));
  }

  /** Whether the book has a row of that external id, claimed or not. */
  has(externalId: string): boolean {
    return this.#byId.has(externalId);
  }

  /** The row that an entry is beyond doubt: under its own id, with all that it says. */
  certain(externalId: string, entry: ImportEntry): KnownRow | undefined {
    if (this.#byId.size === 0) return undefined;
    const own = this.#free(externalId);
    if (own !== undefined && textKey(own, own.payee) === textKey(entry, payeeOf(entry))) return own;
    return this.#free(sharedId(bankIdOf(externalId, entry), entry));
  }

  /** The row that agrees in date, amount and payee. */
  sameText(entry: ImportEntry): KnownRow | undefined {
    this.#byText ??= Map.groupBy(this.#rows, (row) => textKey(row, row.payee));
    return this.#firstFree(this.#byText.get(textKey(entry, payeeOf(entry))));
  }

  /** The row that agrees in date and amount: banks change their texts. */
  sameMoney(entry: ImportEntry): KnownRow | undefined {
    this.#byMoney ??= Map.groupBy(this.#rows, moneyKey);
    return this.#firstFree(this.#byMoney.get(moneyKey(entry)));
  }

  /** The row under the bank's id as it is, if the bank or the user may have corrected its date or its amount. */
  corrected(bankId: BankId, entry: ImportEntry): KnownRow | undefined {
    const row = this.#free(plainId(bankId));
    return row !== undefined && mayBeCorrected(row, entry) ? row : undefined;
  }

  claim(row: KnownRow): void {
    this.#claimed.add(row.id);
  }

  #free(externalId: string): KnownRow | undefined {
    const row = this.#byId.get(externalId);
    return row === undefined || this.#claimed.has(row.id) ? undefined : row;
  }

  /** What is claimed stays so, and need not be passed over twice. */
  #firstFree(rows: KnownRow[] | undefined): KnownRow | undefined {
    while (rows !== undefined && rows.length > 0) {
      const row = rows.at(-1)!;
      if (!this.#claimed.has(row.id)) return row;
      rows.pop();
    }
    return undefined;
  }
}

/** One day with two amounts, or one amount on days of one week. What recurs with one amount is another transaction. */
function mayBeCorrected(row: KnownRow, entry: ImportEntry): boolean {
  if (row.date === entry.date) return true;
  return row.amount === entry.amount && daysApart(row.date, entry.date) < fewestDaysApart;
}

function moneyKey({ date, amount }: { date: string; amount: number }): string {
  return `${date} ${amount}`;
}

function textKey(of: { date: string; amount: number }, payee: string): string {
  return `${moneyKey(of)} ${payee}`;
}
