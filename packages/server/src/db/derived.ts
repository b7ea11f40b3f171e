import type { Steps } from './engine.ts';

/** A row of the source table; null before it was created and after it was removed. */
export type DerivedFrom = Readonly<Record<string, unknown>> | null;

/**
 * A table that is computed from the rows of another table. It is attached to the description of that table, so every
 * change of its rows, including an undo, also updates the derived table.
 */
export interface DerivedTable {
  /** Starts to collect the changes of one transaction. */
  begin(bookId: number): DerivedChanges;
}

/** The changes of one transaction to a derived table. */
export interface DerivedChanges {
  /** Records one row before and after a change. Calls follow the order of the changes. */
  note(before: DerivedFrom, after: DerivedFrom): void;
  /** Writes the recorded changes and forgets them. Called at the end, and earlier when there are many. */
  apply(): Steps<void>;
}
