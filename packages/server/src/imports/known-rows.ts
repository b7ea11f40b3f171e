import { daysApart } from '@coffer/core/dates';
import { bankIdOf, plainId, sharedId } from './bank-ids.ts';
import type { BankId, ImportEntry } from './entry.ts';
import { payeeOf } from './entry.ts';

/** A transaction with a bank's id that the book had before the import. */
export interface KnownRow {
  readonly id: number;
  readonly externalId: string;
  readonly date: string;
  /** As the bank writes it: ten-thousandths, negative for money out. */
  readonly amount: number;
  /** The payee with which it was imported. */
  readonly payee: string;
}

/** With fewer days between them, two dates with the same amount are one transaction with a corrected date. */
const fewestDaysApart = 7;

/**
 * The transactions of one account that the book has under one id of the bank. Each of them matches at most one entry of
 * a file: a claimed row is not found again.
 */
export class KnownRows {
  readonly #byId: ReadonlyMap<string, KnownRow>;
  readonly #rows: readonly KnownRow[];
  // Most entries are found by their ids, so the other indexes are built when they are needed.
  #byMoney: Map<string, KnownRow[]> | undefined;
  #byText: Map<string, KnownRow[]> | undefined;
  readonly #claimed: Set<number>;

  /** `claimed` collects the ids of claimed rows, for all ids of the bank. */
  constructor(rows: readonly KnownRow[], claimed: Set<number>) {
    this.#claimed = claimed;
    this.#rows = rows;
    this.#byId = new Map(rows.map((row) => [row.externalId, row]));
  }

  /** Returns whether the book has a row with this external id, claimed or not. */
  has(externalId: string): boolean {
    return this.#byId.has(externalId);
  }

  /** Returns the row that certainly is the entry: its id and its content agree. */
  certain(externalId: string, entry: ImportEntry): KnownRow | undefined {
    if (this.#byId.size === 0) return undefined;
    const own = this.#free(externalId);
    if (own !== undefined && textKey(own, own.payee) === textKey(entry, payeeOf(entry))) return own;
    return this.#free(sharedId(bankIdOf(externalId, entry), entry));
  }

  /** Returns the row with the same date, amount and payee. */
  sameText(entry: ImportEntry): KnownRow | undefined {
    this.#byText ??= Map.groupBy(this.#rows, (row) => textKey(row, row.payee));
    return this.#firstFree(this.#byText.get(textKey(entry, payeeOf(entry))));
  }

  /** Returns the row with the same date and amount: banks change their texts. */
  sameMoney(entry: ImportEntry): KnownRow | undefined {
    this.#byMoney ??= Map.groupBy(this.#rows, moneyKey);
    return this.#firstFree(this.#byMoney.get(moneyKey(entry)));
  }

  /** Returns the row with the plain id, if the bank or the user may have corrected its date or its amount. */
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

  /** Claimed rows stay claimed, so they are removed from the list. */
  #firstFree(rows: KnownRow[] | undefined): KnownRow | undefined {
    while (rows !== undefined && rows.length > 0) {
      const row = rows.at(-1)!;
      if (!this.#claimed.has(row.id)) return row;
      rows.pop();
    }
    return undefined;
  }
}

/** The same day, or the same amount within a week. Later, the same amount is another transaction. */
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
