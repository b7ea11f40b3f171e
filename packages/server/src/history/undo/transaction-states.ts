import sql from 'sql-template-tag';
import { readLater, type LoggedRecords } from '../../book/log.ts';
import { lineWith, pairsOf, type NetRecords } from '../../book/net.ts';
import type { Steps } from '../../db/engine.ts';
import { among, select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';

/** One later change of a transaction, undefined where it was missing. */
interface LaterChange {
  readonly version: number;
  readonly from: TransactionRow | undefined;
  readonly to: TransactionRow | undefined;
}

/** A transaction before a version and after it, undefined if there was none; what came later; and as it is now. */
export interface States {
  readonly id: number;
  /** What the version did to it. */
  readonly line: NetRecords;
  readonly before: TransactionRow | undefined;
  readonly after: TransactionRow | undefined;
  /** The oldest first. Without removals that were undone, if the transaction exists. */
  readonly later: readonly LaterChange[];
  readonly now: TransactionRow | undefined;
}

/** Ids of missing transactions that are at most so far apart are read together. */
const mostApart = 50;

/** Returns the states of some transactions of lines, by ascending ids. Call it before the undo. */
export function* statesOf(
  bookId: number,
  lines: readonly NetRecords[],
  ids: readonly number[],
): Steps<States[]> {
  const lineOf = new Map(ids.map((id) => [id, lineWith(lines, id)!]));
  const isRemoved = (id: number): boolean => lineOf.get(id)!.kind === 'removed';
  const states = ids.filter(isRemoved).map((id): States => {
    const line = lineOf.get(id)!;
    const before = rowOf(bookId, line.diff);
    return { id, line, before, after: undefined, later: [], now: undefined };
  });
  const rest = ids.filter((id) => !isRemoved(id));
  if (rest.length === 0) return states;
  const and = among(sql`id`, rest);
  const present = yield* select(transactions, { book_id: bookId }, { and });
  const byId = new Map(present.map((row) => [row.id, row]));
  const some = rest.filter((id) => byId.has(id));
  const { version } = lines[0]!;
  const logged = some.length === 0 ? [] : yield* readLater(bookId, rangeOf(some), version);
  for (const id of some) states.push(stateOf(bookId, lineOf.get(id)!, id, byId.get(id), logged));
  // The log has the rows that are missing, also of a removal that was undone in part.
  for (const run of runsOf(rest.filter((id) => !byId.has(id)))) {
    const whole = yield* readLater(bookId, rangeOf(run), version, true);
    for (const id of run) states.push(stateOf(bookId, lineOf.get(id)!, id, undefined, whole));
  }
  return states.toSorted((a, b) => a.id - b.id);
}

function rangeOf(ids: readonly number[]) {
  return { record: transactions.name, firstId: ids[0]!, lastId: ids.at(-1)! };
}

function runsOf(ids: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const id of ids) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && id - last <= mostApart) runs.at(-1)!.push(id);
    else runs.push([id]);
  }
  return runs;
}

function stateOf(
  bookId: number,
  line: NetRecords,
  id: number,
  now: TransactionRow | undefined,
  logged: readonly LoggedRecords[],
): States {
  const later: LaterChange[] = [];
  let after = now;
  // The newest change comes first, so that the oldest one sets the values that stay.
  const own = logged.filter(({ firstId, lastId }) => firstId <= id && id <= lastId);
  for (const [at, { version, kind, diff }] of [...own.entries()].toReversed()) {
    const before = own.slice(0, at).findLast((each) => each.kind !== 'changed');
    // The removal before it was left out.
    if (kind === 'made' && now !== undefined && before?.kind !== 'removed') continue;
    const to = after;
    if (kind === 'removed') after = rowOf(bookId, diff);
    else if (kind === 'made') after = undefined;
    else after = after && { ...after, ...valuesOf({ diff }, 'before') };
    later.unshift({ version, from: after, to });
  }
  const isChanged = line.kind === 'changed' && after !== undefined;
  const before = isChanged ? { ...after!, ...valuesOf(line, 'before') } : undefined;
  return { id, line, before, after, later, now };
}

function rowOf(bookId: number, diff: LoggedRecords['diff']): TransactionRow {
  return { ...diff, book_id: bookId } as TransactionRow;
}

/** The values of changed columns before a line, or after it. */
export function valuesOf(
  { diff }: Pick<LoggedRecords, 'diff'>,
  when: 'before' | 'after',
): Partial<TransactionRow> {
  const at = when === 'before' ? 0 : 1;
  return Object.fromEntries(pairsOf(diff).map(([name, values]) => [name, values[at]]));
}
