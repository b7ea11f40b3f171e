import type { UndoConflict } from '../types.ts';

/** The words for conflicts. */
export interface ConflictWords {
  readonly reasons: Readonly<Record<string, string>>;
  readonly column: (column: string, reason: string) => string;
  readonly blocked: (count: number) => string;
  /** The name of one record of each kind. */
  readonly records: Readonly<Record<string, { readonly one: string }>>;
}

/** A conflict in words: which record, and why. */
export interface DescribedConflict {
  readonly key: string;
  readonly record: string;
  readonly reason: string;
  readonly blocked: string | null;
}

/** Describes why a record cannot be undone. */
export function describeConflict(conflict: UndoConflict, words: ConflictWords): DescribedConflict {
  const { record, id, key, column, reason, blocked } = conflict;
  const others = blocked.filter((each) => each.record !== record || each.id !== id);
  const what = words.reasons[reason] ?? reason;
  const rest = key === undefined ? '' : ` ${Object.values(key).map(String).join(' ')}`;
  return {
    key: `${record} ${id}${rest} ${column ?? ''} ${reason}`,
    record: `${words.records[record]?.one ?? record} ${id}${rest}`,
    reason: column === null ? what : words.column(column.replaceAll('_', ' '), what),
    blocked: others.length === 0 ? null : words.blocked(others.length),
  };
}
