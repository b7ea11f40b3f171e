import type { Steps } from './engine.ts';

/** A row of the table that something is derived from; null before it was made and after it was removed. */
export type DerivedFrom = Readonly<Record<string, unknown>> | null;

/**
 * A table that follows from the rows of another one. It is attached to that table's description, so that every change
 * of its rows, an undo too, brings the derived table along.
 */
export interface DerivedTable {
  /** What gathers the changes of one transaction. */
  begin(bookId: number): DerivedChanges;
}

/** What one transaction changes in a derived table. */
export interface DerivedChanges {
  /** Notes one row before and after; called in the order of the changes. */
  note(before: DerivedFrom, after: DerivedFrom): void;
  /** Writes what was noted. Called at the end, and earlier when much is noted; what is written is forgotten. */
  apply(): Steps<void>;
}
