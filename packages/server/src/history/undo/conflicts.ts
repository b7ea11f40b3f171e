import { tableOf } from '../../book/net.ts';
import type { RecordKey } from '../../book/record-keys.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import { Problem } from '../../operations/problem.ts';
import type { BlockedRecord, UndoConflict as ShownConflict } from './schema.ts';

/** Most conflicts in a response, and most records that one of them blocks. */
const mostShown = 1000;

/** Returns conflicts as in a response, up to a thousand. */
export function shownConflicts(conflicts: readonly UndoConflict[]): ShownConflict[] {
  return conflicts.slice(0, mostShown).map(shownConflict);
}

function shownConflict({ record, id, key, column, reason, blocked }: UndoConflict): ShownConflict {
  const shown = { record, id, ...(key !== undefined && { key: key as Record<string, unknown> }) };
  return { ...shown, column, reason, blocked: blocked.slice(0, mostShown).map(recordOf) };
}

function recordOf(recordKey: RecordKey): BlockedRecord {
  const [record = '', id, ...rest] = recordKey.split(' ');
  const [, ...names] = tableOf(record).key;
  const key = Object.fromEntries(names.map((name, at) => [name, rest[at]]));
  return { record, id: Number(id), ...(names.length > 0 && { key }) };
}

/** Returns the problem of an undo that has conflicts, and undid nothing. */
export function conflictProblem(conflicts: readonly UndoConflict[]): Problem {
  return new Problem('undoConflict', {
    details: conflicts.map((each) => ({ errMsg: conflictText(each), ...shownConflict(each) })),
  });
}

/**
 * Returns why a record cannot be undone, such as `transactions 9125: notes was changed since`, or
 * `categories 3: used since by transactions 9125 (category_id)`.
 */
export function conflictText({ record, id, column, reason, blocked }: UndoConflict): string {
  if (reason === 'used since')
    return `${blocked.join(', ')}: used since by ${record} ${id} (${column})`;
  return `${record} ${id}: ${column ?? 'it'} was ${reason}`;
}
