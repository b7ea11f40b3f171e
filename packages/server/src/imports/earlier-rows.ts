/**
 * Tells the rows of a file that a book already has from new ones.
 *
 * Two rows are identical when account, date, amount and payee are. The n-th such row of a file is the n-th such row
 * of the book: the same file twice adds nothing, and two real equal purchases both stay.
 */
export class EarlierRows {
  readonly #unmatched = new Map<string, number>();

  /** Takes note of a row that the book had before the import. */
  add(account: number | null, date: string, amount: number, payee: string): void {
    const key = identityKey(account, date, amount, payee);
    this.#unmatched.set(key, (this.#unmatched.get(key) ?? 0) + 1);
  }

  /** True when a row of the file is one that the book had; each row of the book stands for one row of the file. */
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
