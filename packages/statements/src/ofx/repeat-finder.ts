import { Refusal } from '../statement-error.ts';
import type { Entry } from '../statement.ts';
import { identityOf } from './identity.ts';

/** Marks for 2^27 hashes, a bit each, in pages that are made when they are needed. */
const PAGES = 4096;
const PAGE_BITS = 2 ** 15;
/** The most ids that may stand twice, or seem to: what is known of each is kept in memory. */
export const MOST_REPEATED = 100_000;

/** Finds entries that share an id, in memory that does not grow with the file. */
export class RepeatFinder {
  readonly #marks: (Uint8Array | undefined)[] = Array.from({ length: PAGES });
  readonly #repeated = new Set<number>();

  /** Ids that stand more than once; now and then one that stands alone. */
  get repeated(): ReadonlySet<number> {
    return this.#repeated;
  }

  /** Takes an entry into account. Errors: Refusal where more than {@link MOST_REPEATED} ids stand twice. */
  note(account: string, entry: Entry): void {
    const id = identityOf(account, entry);
    if (this.#mark(id)) return;
    this.#repeated.add(id);
    if (this.#repeated.size > MOST_REPEATED) throw tooManyRepeated(entry.line);
  }

  /** Marks a hash; says whether it is the first one there. */
  #mark(hash: number): boolean {
    const at = hash % (PAGES * PAGE_BITS);
    const page = Math.floor(at / PAGE_BITS);
    const marks = (this.#marks[page] ??= new Uint8Array(PAGE_BITS / 8));
    const place = (at % PAGE_BITS) >>> 3;
    const bit = 1 << (at & 7);
    const isFirst = (marks[place]! & bit) === 0;
    marks[place] = marks[place]! | bit;
    return isFirst;
  }
}

/** Says that a file repeats more ids than can be kept account of. */
export function tooManyRepeated(line: number): Refusal {
  return new Refusal(`More than ${MOST_REPEATED} ids stand more than once`, line);
}
