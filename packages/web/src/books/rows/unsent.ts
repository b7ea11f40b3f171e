import type { Schemas, Transaction, TransactionUpdate } from '../types.ts';

/** What both kinds of unsent entries have. */
interface Common {
  /** Unique in this browser. For a new transaction it is the Idempotency-Key of its request too. */
  readonly id: string;
  /** Whose it is, see {@link ownerOf}. */
  readonly owner: string;
  /** Entries are sent in the order of this number. */
  readonly order: number;
  /** The payee, to show which transaction it is; null if it has none. */
  readonly payee: string | null;
  /** Why the server refused it; null while it can be sent. */
  readonly problem: string | null;
}

/** A transaction that was typed and is not stored by the server. */
export interface UnsentNew extends Common {
  readonly kind: 'new';
  readonly body: Schemas['TransactionInsert'];
}

/** New values of a transaction that are not stored by the server. */
export interface UnsentEdit extends Common {
  readonly kind: 'edit';
  readonly transactionId: number;
  readonly values: TransactionUpdate;
  /** What these values were when the first of them was edited. */
  readonly before: Partial<Transaction>;
  /** Whether it changes also what a proved balance depends on. */
  readonly isForced?: boolean;
  /** What somebody else has made of some of them since; null if nobody has. */
  readonly theirs: Partial<Transaction> | null;
}

/** What was typed, and is not stored by the server. */
export type UnsentEntry = UnsentNew | UnsentEdit;

/** Returns whose entries are sent by a session: those of one user in one book. */
export function ownerOf({ user, book }: Schemas['SessionState']): string | null {
  return user === null || book === null ? null : `${user.id}/${book.id}`;
}

/** Returns one entry for two edits of a transaction, of which the second was made later. */
export function mergedEdit(earlier: UnsentEdit | undefined, later: UnsentEdit): UnsentEdit {
  if (earlier === undefined) return later;
  const { id, order, values, before } = earlier;
  return {
    ...later,
    ...{ id, order, values: { ...values, ...later.values } },
    before: { ...later.before, ...before },
  };
}

/**
 * Returns the values that somebody else has changed since an edit was made, as they are now; null if there are none.
 * A value that is already as it was typed is no conflict: the edit has arrived, and its response was lost.
 */
export function conflictOf(
  { values, before }: UnsentEdit,
  now: Transaction,
): Partial<Transaction> | null {
  const names = (Object.keys(before) as (keyof Transaction)[]).filter(
    (name) =>
      !isSame(now[name], before[name]) &&
      !isSame(now[name], (values as Partial<Transaction>)[name] ?? null),
  );
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => [name, now[name]]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether an entry can be sent without asking. */
export function canBeSent(entry: UnsentEntry): boolean {
  return entry.problem === null && (entry.kind === 'new' || entry.theirs === null);
}
