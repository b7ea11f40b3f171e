import type { ChangeQuery, HistoryEntry } from '../types.ts';

type Record_ = Readonly<Record<string, unknown>>;

/** What happened to records: created, changed, or deleted. */
export type ChangeKind = 'made' | 'changed' | 'removed';

/** What a change did to one record. */
export interface RecordChange {
  readonly kind: ChangeKind;
  readonly before: Record_ | null;
  readonly after: Record_ | null;
}

/** One value of a record, before and after. */
export interface FieldChange {
  readonly column: string;
  /** Undefined where the record did not have it. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Columns that say nothing to a person. */
const silent = new Set(
  (
    'id book_id created_at updated_at to_base position source plaid_metadata custom_metadata ' +
    'import_id external_id balance_as_of files'
  ).split(' '),
);
const nothing = new Set<unknown>([null, undefined, '', false]);

/** The values that a change made, changed or removed; of a created or deleted record, those that are not empty. */
export function fieldsOf({ kind, before, after }: RecordChange): FieldChange[] {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const all = columns.map((column) => ({
    column,
    before: before?.[column],
    after: after?.[column],
  }));
  if (kind === 'changed') return all.filter(({ column }) => column !== 'updated_at');
  return all.filter((field) => {
    const value = kind === 'made' ? field.after : field.before;
    return !silent.has(field.column) && !nothing.has(value) && !isEmpty(value);
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** What names a record: its payee, its name, and so on; null when the change does not say. */
export function titleOf({ before, after }: RecordChange): string | null {
  for (const part of [after, before])
    for (const column of ['payee', 'name', 'display_name', 'symbol', 'start_date', 'file_name'])
      if (typeof part?.[column] === 'string' && part[column] !== '') return part[column];
  return null;
}

/** How many records of a kind were created, changed or deleted. */
export interface RecordCount {
  readonly record: string;
  readonly kind: ChangeKind;
  readonly count: number;
}

/** Counts of a change in words, by the kinds of records. */
export interface CountWords {
  readonly verbs: Readonly<Record<ChangeKind, (what: string) => string>>;
  readonly counted: (record: string, count: number) => string;
  readonly list: (parts: readonly string[]) => string;
  readonly nothing: string;
  /** Names the kinds that are not listed one by one. */
  readonly others: (kinds: number) => string;
}

const verbOrder = ['made', 'changed', 'removed'] as const;
/** What follows from other changes, and is named only if it is all that happened. */
const consequences = new Set(['manual_accounts changed', 'plaid_accounts changed']);

/**
 * What a change did, as a sentence from its counts: `added 36 transactions and 1 account`.
 *
 * Where there are more than some kinds of records for a verb, the most frequent one is named, and the others counted.
 */
export function describeCounts(
  counts: readonly RecordCount[],
  words: CountWords,
  most = Infinity,
): string {
  const main = counts.filter(({ record, kind }) => !consequences.has(`${record} ${kind}`));
  const shown = main.length > 0 ? main : counts;
  const parts = verbOrder.flatMap((kind) => {
    const named = shown
      .filter((each) => each.kind === kind)
      .toSorted((one, other) => other.count - one.count)
      .map(({ record, count }) => words.counted(record, count));
    if (named.length > most) named.splice(1, named.length, words.others(named.length - 1));
    return named.length === 0 ? [] : [words.verbs[kind](words.list(named))];
  });
  return parts.length === 0 ? words.nothing : parts.join('; ');
}

/** Writes the id of an operation, such as `updateTransaction` or `category merge`, as words. */
export function operationWords(operation: string): string {
  const words = operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The actor of a change as a filter has it: `token 12`, `command`. */
export function actorKey({ kind, id }: Pick<HistoryEntry['actor'], 'kind' | 'id'>): string {
  return id === null ? kind : `${kind} ${id}`;
}

/** Changes of one day, in the zone of the browser. */
export interface ChangeDay<Entry> {
  readonly date: string;
  readonly entries: readonly Entry[];
}

/** Groups changes, which are in the order of time, by day. */
export function byDay<Entry extends { readonly at: string }>(
  entries: readonly Entry[],
  dateAt: (ms: number) => string,
): ChangeDay<Entry>[] {
  const days = Map.groupBy(entries, ({ at }) => dateAt(Date.parse(at)));
  return [...days].map(([date, some]) => ({ date, entries: some }));
}

/** A kind of record. */
export type RecordKind = NonNullable<ChangeQuery['record']>;

/** Which changes are listed; empty texts do not filter. */
export interface ChangeFilter {
  readonly actor: string;
  readonly operation: string;
  readonly record: RecordKind | '';
  readonly from: string;
  readonly to: string;
}

const filterNames = ['actor', 'operation', 'record', 'from', 'to'] as const;
const dateText = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a filter from the query of the page. What is missing or invalid does not filter. */
export function readChangeFilter(search: string): ChangeFilter {
  const given = new URLSearchParams(search);
  const text = (name: string): string => (given.get(name) ?? '').slice(0, 100);
  const date = (name: string): string => (dateText.test(text(name)) ? text(name) : '');
  // The server refuses a kind that there is not.
  const record = (/^[a-z_]+$/.test(text('record')) ? text('record') : '') as RecordKind | '';
  const [actor, operation] = [text('actor'), text('operation')];
  return { actor, operation, record, from: date('from'), to: date('to') };
}

/** Writes a filter as a query, without its first character; it is that of the page, and that of the API. */
export function writeChangeFilter(filter: ChangeFilter): string {
  const search = new URLSearchParams();
  for (const name of filterNames) if (filter[name] !== '') search.set(name, filter[name]);
  return search.toString();
}
