import type { DateOrder } from '../../statement/dates.ts';
import type { ColumnKey } from '../../statement/column-map.ts';

/** What is known about the files of a bank or an application. */
export interface Profile {
  readonly name: string;
  /** Folded names that its header has, all of them, separated by `|`. */
  readonly header: string;
  /** Its header has no other names: for names that others use, too. */
  readonly isWhole?: boolean;
  /** Folded names that its header does not have. */
  readonly without?: string;
  /** Folded names of the columns, separated by `|`: the next one is used where the cell of the first is blank. */
  readonly columns?: Partial<Record<ColumnKey, string>>;
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
