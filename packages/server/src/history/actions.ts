import { toInstant, toLastInstant } from '@coffer/core/dates';
import { entryOf, listHistory } from '../book/history.ts';
import type { HistoryEntry as Entry } from '../book/history.ts';
import { prunedVersion } from '../book/retention.ts';
import { countsOf } from '../book/version-counts.ts';
import { effectsOnRecord, recordsOfVersion } from '../book/version-records.ts';
import type { Effect } from '../book/version-records.ts';
import type { Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { transactions } from '../db/tables/tables.ts';
import { notFound, refusePruned } from '../operations/problem.ts';
import { actorsOf } from './actor.ts';
import type { Actor } from './actor.ts';
import { kindOf } from './records.ts';

import type * as schema from './schema.ts';

export { describeVersion } from './described.ts';
export type { DescribedRecord, VersionDescription } from './described.ts';
export { shownRecords } from './schema.ts';
export type { Actor } from './actor.ts';
export type { HistoryEntry, HistoryRecord, HistoryVersion } from './schema.ts';

/** Which changes to list: the query of the operation. */
export type HistoryQuery = Partial<schema.HistoryQuery> & { readonly limit: number };

interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Returns changes of a book, the newest first. */
export function* getHistory(
  bookId: number,
  { limit, from, to, ...filter }: HistoryQuery,
): Steps<{ history: schema.HistoryEntry[]; has_more: boolean }> {
  const times = {
    from: from === undefined ? undefined : toInstant(from)!,
    to: to === undefined ? undefined : toLastInstant(to)!,
  };
  const found = yield* listHistory(bookId, { ...filter, ...times }, limit + 1);
  const history = yield* withCounts(bookId, found.slice(0, limit));
  return { history, has_more: found.length > limit };
}

/** Returns a change of a book, and what it did to a part of its records. Throws a 404, or a 410 if it was pruned. */
export function* getVersion(
  bookId: number,
  version: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Steps<schema.HistoryVersion> {
  if (version > 0) refusePruned(version, yield* prunedVersion(bookId));
  const found = yield* entryOf(bookId, version);
  if (found === undefined) throw notFound('version', version);
  const [entry] = yield* withCounts(bookId, [found]);
  const page = { offset, limit: limit + 1 };
  const records = (yield* recordsOfVersion(bookId, version, page)).map(recordToWire);
  return { ...entry!, records: records.slice(0, limit), has_more: records.length > limit };
}

/** Returns the changes of a transaction, the newest first. Throws a 404 if the book never had it. */
export function* getTransactionHistory(
  bookId: number,
  id: number,
  { limit, before }: Page,
): Steps<schema.TransactionHistory> {
  const filter = { record: transactions.name, id };
  const found = yield* listHistory(bookId, { ...filter, before }, limit + 1);
  if (found.length === 0 && !(yield* wasThere(bookId, id))) throw notFound('transaction', id);
  const entries = found.slice(0, limit);
  const versions = entries.map(({ version }) => version);
  const effects = yield* effectsOnRecord(bookId, transactions, id, versions);
  const actors = yield* actorsIn(bookId, entries);
  const history = entries.map((entry) => ({
    ...changeToWire(entry, actors),
    ...effectToWire(effects.get(entry.version)),
  }));
  return { history, has_more: found.length > limit };
}

function* wasThere(bookId: number, id: number): Steps<boolean> {
  if ((yield* find(transactions, { book_id: bookId, id })) !== undefined) return true;
  const filter = { record: transactions.name, id };
  return (yield* listHistory(bookId, filter, 1)).length > 0;
}

function* withCounts(bookId: number, entries: readonly Entry[]): Steps<schema.HistoryEntry[]> {
  const versions = entries.map(({ version }) => version);
  const all = yield* countsOf(bookId, versions);
  const actors = yield* actorsIn(bookId, entries);
  return entries.map((entry) => ({
    ...changeToWire(entry, actors),
    counts: [...(all.get(entry.version) ?? [])],
  }));
}

type Actors = ReadonlyMap<string, Actor>;

function* actorsIn(bookId: number, entries: readonly Entry[]): Steps<Actors> {
  return yield* actorsOf(
    bookId,
    entries.map(({ actor }) => actor),
  );
}

function changeToWire({ actor, ...entry }: Entry, actors: Actors) {
  return { ...entry, actor: actors.get(actor)! };
}

function recordToWire(effect: Effect): schema.HistoryRecord {
  const { table, id, key } = effect;
  const rest = table.key.slice(1);
  return {
    record: table.name,
    id,
    ...(rest.length > 0 && { key: Object.fromEntries(rest.map((name) => [name, key[name]])) }),
    ...effectToWire(effect),
  };
}

/** A record that was created and deleted by the same change is a deleted one that nobody saw. */
function effectToWire(effect: Effect | undefined): Pick<Effect, 'kind' | 'before' | 'after'> {
  if (effect === undefined) return { kind: 'removed', before: null, after: null };
  const { table, kind, before, after } = effect;
  const { shownColumns } = kindOf(table.name);
  return { kind, before: before && shownColumns(before), after: after && shownColumns(after) };
}
