import { bankIdOf } from './bank-ids.ts';
import type { ImportEntry } from './entry.ts';
import type { KnownRow, KnownRows } from './known-rows.ts';

/** An entry with an id, and the rows of its account that the book has under that id. */
export interface Identified {
  readonly entry: ImportEntry;
  readonly externalId: string;
  readonly known: KnownRows;
}

/** `waiting`: another entry of the file may have a better claim to the row that this one may be. */
export type Verdict = 'known' | 'new' | 'waiting';

/**
 * So many entries wait for the end of the file, so that memory does not grow with it. Only those wait beyond that whose
 * id the file is known to repeat; the others have no rival.
 */
const mostWaiting = 10_000;

/**
 * Tells entries that the book has from new ones, where both have an id of the bank.
 *
 * Banks give one id to several transactions, in one file or in two, and correct what they have given an id. So an
 * entry is the row of the book that agrees with it best, and each row is one entry of a file: first the row that agrees
 * in all; then in date, amount and payee; then in date and amount; last the one that may have been corrected. An entry
 * that is left is another transaction.
 */
export class ImportMatches<Each extends Identified> {
  readonly #waiting: Each[] = [];

  /** Decides on an entry, or keeps it for {@link settle}. */
  take(each: Each): Verdict {
    const { known, externalId, entry } = each;
    const certain = known.certain(externalId, entry);
    if (certain !== undefined) return claim(each, certain);
    const likeliest = likenesses.map((find) => find(each)).find((row) => row !== undefined);
    if (likeliest === undefined) return 'new';
    const mayWait = this.#waiting.length < mostWaiting || bankIdOf(externalId, entry).isRepeated;
    if (!mayWait) return claim(each, likeliest);
    this.#waiting.push(each);
    return 'waiting';
  }

  /** Decides, at the end of the file, on all entries that wait. */
  *settle(): Generator<readonly [each: Each, verdict: 'known' | 'new']> {
    let waiting = this.#waiting;
    for (const find of likenesses) {
      const left: Each[] = [];
      for (const each of waiting) {
        const row = find(each);
        if (row === undefined) left.push(each);
        else yield [each, claim(each, row)];
      }
      waiting = left;
    }
    for (const each of waiting) yield [each, 'new'];
  }
}

/** How an entry may be a row, the surest first. */
const likenesses: readonly ((each: Identified) => KnownRow | undefined)[] = [
  ({ known, entry }) => known.sameText(entry),
  ({ known, entry }) => known.sameMoney(entry),
  ({ known, entry, externalId }) => known.corrected(bankIdOf(externalId, entry), entry),
];

function claim({ known }: Identified, row: KnownRow): 'known' {
  known.claim(row);
  return 'known';
}
