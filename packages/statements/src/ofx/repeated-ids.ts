import type { Entry } from '../statement.ts';
import { keptId } from './bank-id.ts';
import { contentHash, identityOf } from './identity.ts';
import { MOST_REPEATED, tooManyRepeated } from './repeat-finder.ts';

/** Which content an id belongs to first of all. */
interface Oldest {
  readonly date: string;
  readonly content: string;
}

/** How often one and the same entry was seen. */
interface Sightings {
  statement: number;
  inStatement: number;
  most: number;
}

/** Settles each entry of one reading: true if it is one, with its final id; false if it stood before. */
export type Settle = (account: string, statement: number, entry: Entry) => boolean;

/**
 * Gives entries that share a bank's id ids of their own, which come out the same whenever the bank sends them again.
 *
 * Equal entries of one statement are two purchases: the second is `ID#2`. Equal entries of two statements of one
 * account are one: the second is left out, the n-th for the n-th. Of entries that differ, the oldest keeps the id,
 * and the others add a hash of their content: `ID~1f9…`.
 */
export class RepeatedIds {
  readonly #repeated: ReadonlySet<number>;
  readonly #oldest = new Map<number, Oldest>();

  constructor(repeated: ReadonlySet<number>) {
    this.#repeated = repeated;
  }

  /** Takes an entry into account: all of them, before the first is settled. */
  note(account: string, entry: Entry): void {
    const id = identityOf(account, entry);
    if (!this.#repeated.has(id)) return;
    const { date } = entry;
    const content = contentHash(entry);
    const oldest = this.#oldest.get(id);
    if (oldest === undefined || isOlder({ date, content }, oldest)) {
      this.#oldest.set(id, { date, content });
    }
  }

  /** Begins a reading of the file, whose entries are to be settled in file order. */
  begin(): Settle {
    const sightings = new Map<string, Sightings>();
    return (account, statement, entry) => {
      const id = this.#repeated.size === 0 ? null : identityOf(account, entry);
      if (id === null || !this.#repeated.has(id)) {
        settleId(entry, 1, false, '');
        return true;
      }
      const content = contentHash(entry);
      const count = sight(sightings, `${id} ${content}`, statement, entry);
      if (count === null) return false;
      const isOther = this.#oldest.get(id)?.content !== content;
      settleId(entry, count, true, isOther ? `~${content}` : '');
      return true;
    };
  }
}

/** Gives an entry its final id, and says what that was made of. */
function settleId(entry: Entry, nth: number, isRepeated: boolean, mark: string): void {
  const id = entry.externalId;
  if (id === null) return;
  entry.bankId = { id, nth, isRepeated };
  entry.externalId = keptId(`${id}${mark}${nth > 1 ? `#${nth}` : ''}`);
}

function isOlder(one: Oldest, other: Oldest): boolean {
  return one.date < other.date || (one.date === other.date && one.content < other.content);
}

/** The how-manieth of its statement an entry is, or null if an earlier statement had as many. */
function sight(
  sightings: Map<string, Sightings>,
  key: string,
  statement: number,
  entry: Entry,
): number | null {
  const seen = sightings.get(key) ?? { statement, inStatement: 0, most: 0 };
  if (seen.most === 0) sightings.set(key, seen);
  if (sightings.size > MOST_REPEATED) throw tooManyRepeated(entry.line);
  if (seen.statement !== statement) seen.inStatement = 0;
  seen.statement = statement;
  seen.inStatement += 1;
  if (seen.inStatement <= seen.most) return null;
  seen.most = seen.inStatement;
  return seen.most;
}
