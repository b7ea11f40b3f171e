import profiles from '../../../profiles.json' with { type: 'json' };
import type { ColumnKey, ColumnMap, DateOrder } from '../../statement/statement.ts';

/**
 * What is known about the files of a bank, a payment service or an application, as far as their names alone do not say
 * everything: an element of `profiles.json`.
 */
export interface Profile {
  readonly name: string;
  /** Folded names that its header has, all of them. */
  readonly header: readonly string[];
  /** Its header has no other names: for names that others use, too. */
  readonly isWhole?: boolean;
  /** Folded names of the columns: the next one is used where the cell of the first is blank. */
  readonly columns?: Partial<Record<ColumnKey, readonly string[]>>;
  /** Parts of an entry that the file does not have, although a name looks like it. */
  readonly ignored?: readonly ColumnKey[];
  /** The order of dates that fit several. */
  readonly dateOrder?: DateOrder;
  /** Money out is positive. */
  readonly isNegated?: boolean;
  /** The words of the direction decide, whatever the sign. */
  readonly wordsDecide?: boolean;
  /** What a blank direction means. */
  readonly blankWord?: 1 | -1;
  readonly fee?: 'none' | 'subtract';
  readonly currency?: string;
  /** The user's own records: a row named `Starting Balance` is a transaction. */
  readonly isApplication?: boolean;
  /** An export of Coffer: its texts are taken as they are. */
  readonly isOwn?: boolean;
  /** How rows belong together as parts of a split, or what each row is for `wise`. */
  readonly splits?: 'ynab' | 'actual' | 'firefly' | 'wise';
}

/** The more special headers come first. */
const PROFILES = profiles as readonly Profile[];

/**
 * The first known bank or application whose names a header contains; null if there is none. One that has its amounts in
 * several columns counts only where the map does not say where they are.
 */
export function profileOf(foldedNames: readonly string[], map: ColumnMap): Profile | null {
  const present = new Set(foldedNames);
  const found = PROFILES.find(
    ({ header, isWhole }) =>
      header.every((name) => present.has(name)) &&
      (isWhole !== true || foldedNames.length === header.length),
  );
  if (found?.splits === 'wise' && map.amount !== undefined) return null;
  return found ?? null;
}
