import type { EntryVerdict } from '@coffer/server/src/imports/entry.ts';
import type { Entry } from '@coffer/statements/src/statement/statement.ts';

/** A row as it would be imported. */
export interface PreviewRow {
  readonly line: number;
  readonly date: string;
  /** Ten-thousandths; money out is negative. */
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly account: string | null;
  readonly category: string | null;
}

/** The rows that would be imported into an account. */
export interface AccountTotal {
  /** Null for rows without an account. */
  readonly account: string | null;
  /** The number of its first entry in the file. */
  first: number;
  count: number;
  readonly sums: Map<string, bigint>;
  firstDate: string;
  lastDate: string;
}

const mostRows = 5;

/** Collects what a dry run would import, in memory that does not grow with the file. */
export class Preview {
  /** Entries without a verdict yet, by number. */
  readonly #waiting = new Map<number, Entry>();
  #rows: (PreviewRow & { readonly number: number })[] = [];
  readonly #totals = new Map<number, AccountTotal>();

  /** Streams the entries to the import. Begins again if the import does. */
  *entries(entries: Iterable<Entry>): Generator<Entry> {
    this.#waiting.clear();
    this.#totals.clear();
    this.#rows = [];
    let number = 0;
    for (const entry of entries) {
      number += 1;
      this.#waiting.set(number, entry);
      yield entry;
    }
  }

  /** Takes the verdict on an entry. Verdicts come in any order. */
  take({ number, isImported, currency, account }: EntryVerdict): void {
    const entry = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (entry === undefined || !isImported) return;
    this.#addTotal(number, entry, currency, account);
    if (this.#rows.length === mostRows && number > this.#rows.at(-1)!.number) return;
    const { line, date, amount, payee, category } = entry;
    const row = { line, date, amount, currency, payee, account: account?.name ?? null, category };
    this.#rows.push({ number, ...row });
    this.#rows.sort((a, b) => a.number - b.number);
    this.#rows.length = Math.min(mostRows, this.#rows.length);
  }

  /** The first five rows, in file order. */
  get rows(): PreviewRow[] {
    return this.#rows.map(({ number: _, ...row }) => row);
  }

  /** In the order in which the file has the accounts. */
  get totals(): readonly AccountTotal[] {
    return [...this.#totals.values()].sort((a, b) => a.first - b.first);
  }

  #addTotal(
    number: number,
    { date, amount }: Entry,
    currency: string,
    account: EntryVerdict['account'],
  ): void {
    const key = account?.id ?? 0;
    const total = this.#totals.get(key) ?? {
      account: account?.name ?? null,
      count: 0,
      sums: new Map<string, bigint>(),
      first: number,
      firstDate: date,
      lastDate: date,
    };
    this.#totals.set(key, total);
    total.count += 1;
    total.first = Math.min(total.first, number);
    total.sums.set(currency, (total.sums.get(currency) ?? 0n) + BigInt(amount));
    if (date < total.firstDate) total.firstDate = date;
    if (date > total.lastDate) total.lastDate = date;
  }
}
