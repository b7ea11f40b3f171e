import sql, { join } from 'sql-template-tag';
import { readLater } from '../../changes/logged.ts';
import type { LoggedRecords } from '../../changes/log.ts';
import { pairsOf } from '../../changes/net.ts';
import type { NetRecords } from '../../changes/net.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables.ts';
import type { TransactionRow } from '../transactions/actions.ts';

/** A transaction before a version and after it, undefined if there was none; and as it is now. */
export interface States {
  readonly id: number;
  readonly before: TransactionRow | undefined;
  readonly after: TransactionRow | undefined;
  readonly now: TransactionRow | undefined;
}

/** Returns the states of some transactions of a line. Call it before the undo. */
export function* statesOf(
  bookId: number,
  line: NetRecords,
  ids: readonly number[],
): Steps<States[]> {
  const rowOf = (diff: LoggedRecords['diff']) => ({ ...diff, book_id: bookId }) as TransactionRow;
  if (line.kind === 'removed') {
    const before = rowOf(line.diff);
    return ids.map((id) => ({ id, before, after: undefined, now: undefined }));
  }
  const and = sql`id IN (${join([...ids])})`;
  const present = yield* select(transactions, { book_id: bookId }, { and });
  const byId = new Map(present.map((row) => [row.id, row]));
  const range = { record: line.record, firstId: ids[0]!, lastId: ids.at(-1)! };
  // The log has the rows that are missing now, also of a removal that was undone in part.
  const isWhole = ids.some((id) => !byId.has(id));
  const later = (yield* readLater(bookId, range, line.version, isWhole)).toReversed();
  return ids.map((id) => {
    const own = later.filter(({ firstId, lastId }) => firstId <= id && id <= lastId);
    const now = byId.get(id);
    // The newest change comes first, so that the oldest one sets the values that stay.
    const after = own.reduce((row, { kind, diff }) => {
      if (kind === 'removed') return rowOf(diff);
      return row && kind === 'changed' ? { ...row, ...valuesOf({ diff }, 'before') } : row;
    }, now);
    const isChanged = line.kind === 'changed' && after !== undefined;
    const before = isChanged ? { ...after, ...valuesOf(line, 'before') } : undefined;
    return { id, before, after, now };
  });
}

/** The values of changed columns before a line, or after it. */
export function valuesOf(
  { diff }: Pick<LoggedRecords, 'diff'>,
  when: 'before' | 'after',
): Partial<TransactionRow> {
  const at = when === 'before' ? 0 : 1;
  return Object.fromEntries(pairsOf(diff).map(([name, values]) => [name, values[at]]));
}
