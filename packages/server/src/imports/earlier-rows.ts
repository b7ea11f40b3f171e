/**
 * Finds the rows of a file that a book already has.
 *
 * Rows are identical if account, date, amount and payee are. The n-th such row of a file is the n-th such row of the
 * book: importing a file again adds nothing, and two equal purchases are both kept.
 */
export class EarlierRows {
  readonly #unmatched = new Map<string, number>();

  /** Adds a row that the book had before the import. */
  add(account: number | null, date: string, amount: number, payee: string): void {
    const key = identityKey(account, date, amount, payee);
    this.#unmatched.set(key, (this.#unmatched.get(key) ?? 0) + 1);
  }

  /** Returns whether the book had a row of the file. Each row of the book matches one row of the file. */
  take(account: number | null, date: string, amount: number, payee: string): boolean {
    if (this.#unmatched.size === 0) return false;
    const key = identityKey(account, date, amount, payee);
    const left = this.#unmatched.get(key);
    if (left === undefined) return false;
    if (left === 1) this.#unmatched.delete(key);
    else this.#unmatched.set(key, left - 1);
    return true;
  }
}

/** The payee comes last, so that no payee can imitate the parts before it. */
function identityKey(account: number | null, date: string, amount: number, payee: string): string {
  return `${account ?? ''} ${date} ${amount} ${payee}`;
}
