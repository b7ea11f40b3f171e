import { RepeatFinder } from '../ofx/ids.ts';
import { Refusal } from '../../statement/statement-error.ts';
import type { Entry } from '../../statement/statement.ts';
import type { StatementLine } from './statement-line.ts';

const MIN_ID_LENGTH = 10;
/** Without leading zeros. A shorter number counts entries from 1, again in each statement or each year. */
const MIN_SIGNIFICANT_LENGTH = 8;
const MIN_DIGITS = 6;
const REFERENCE = /^[A-Z0-9][A-Z0-9/.+-]*$/i;

/**
 * The bank's reference of an entry if it can be an id, else null. Banks write texts, counters and the references of
 * others behind `//`, and an id that is none would hide an entry of a later file. So an id has ten characters or more,
 * six digits or more, no blanks, and is no part of the entry's own text.
 */
export function referenceId(
  { bankReference }: StatementLine,
  details: readonly string[],
): string | null {
  const id = bankReference;
  if (id.length < MIN_ID_LENGTH || !REFERENCE.test(id)) return null;
  if (id.replace(/^0+/, '').length < MIN_SIGNIFICANT_LENGTH) return null;
  if (id.replace(/\D/g, '').length < MIN_DIGITS) return null;
  const text = details.join('');
  return text.includes(id) ? null : Buffer.from(id, 'utf16le').toString('utf16le');
}

/** Finds references that several entries of an account share: they identify none of them. */
export class SharedReferences {
  readonly #finder = new RepeatFinder();
  /** Too many are shared for any to be trusted. */
  #areAllShared = false;

  /** Adds an entry of the first pass. */
  note(account: string, entry: Entry): void {
    if (entry.externalId === null || this.#areAllShared) return;
    try {
      this.#finder.note(account, entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#areAllShared = true;
    }
  }

  /** Removes the id of an entry if it is shared, and else states what the bank gave. */
  settle(account: string, entry: Entry): void {
    const id = entry.externalId;
    if (id === null) return;
    if (this.#areAllShared || this.#finder.isRepeated(account, entry)) entry.externalId = null;
    else entry.bankId = { id, nth: 1, isRepeated: false };
  }
}
