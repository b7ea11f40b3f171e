import { bankIdOf } from './bank-ids.ts';
import type { ImportEntry } from './entry.ts';
import type { KnownRow, KnownRows } from './known-rows.ts';

/** An entry with an id, and the rows of its account that the book has under this id. */
export interface Identified {
  readonly entry: ImportEntry;
  readonly externalId: string;
  readonly known: KnownRows;
}

/** `waiting`: another entry of the file may match the row better. */
export type Verdict = 'known' | 'new' | 'waiting';

/**
 * The number of entries that wait for the end of the file, so that memory does not grow with the file. Above it only
 * entries wait whose id the file repeats; the others have no rivals.
 */
const mostWaiting = 10_000;

/**
 * Finds the entries with a bank's id that the book already has.
 *
 * Banks use one id for several transactions, in one file or in two, and correct transactions under the same id. So an
 * entry matches the most similar row of the book, and each row matches one entry of a file: first a row that is equal,
 * then one with the same date, amount and payee, then one with the same date and amount, then one that may have been
 * corrected. An entry without a match is a new transaction.
 */
export class ImportMatches<Each extends Identified> {
  readonly #waiting: Each[] = [];

  /** Decides about an entry, or keeps it for {@link settle}. */
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

  /** Decides about all waiting entries at the end of the file. */
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

/** The kinds of a match, the most certain first. */
const likenesses: readonly ((each: Identified) => KnownRow | undefined)[] = [
  ({ known, entry }) => known.sameText(entry),
  ({ known, entry }) => known.sameMoney(entry),
  ({ known, entry, externalId }) => known.corrected(bankIdOf(externalId, entry), entry),
];

function claim({ known }: Identified, row: KnownRow): 'known' {
  known.claim(row);
  return 'known';
}
