import { readTyped, searchedIn } from './typed-filter.ts';

/** Which transactions are listed. Lists of ids are sorted; 0 is none, such as no category. */
export interface Filter {
  /** What was typed, ranges of dates and amounts included. */
  readonly text: string;
  /** The exact payee; empty for all. */
  readonly payee: string;
  readonly categoryIds: readonly number[];
  readonly tagIds: readonly number[];
  readonly manualAccountIds: readonly number[];
  readonly plaidAccountIds: readonly number[];
  readonly status: 'all' | 'reviewed' | 'unreviewed';
  readonly recurringId: number | null;
  readonly importId: number | null;
  readonly sort: Sort;
}

const sorts = ['-date', 'date', '-amount', 'amount'] as const;

/** The order of a list. */
export type Sort = (typeof sorts)[number];

/** All transactions, newest first. */
export const noFilter: Filter = {
  text: '',
  payee: '',
  categoryIds: [],
  tagIds: [],
  manualAccountIds: [],
  plaidAccountIds: [],
  status: 'all',
  recurringId: null,
  importId: null,
  sort: '-date',
};

/** The lists of ids, with their names in the URL of the page and in that of the API. */
const idLists = [
  ['categoryIds', 'category', 'category_ids'],
  ['tagIds', 'tag', 'tag_ids'],
  ['manualAccountIds', 'account', 'manual_account_ids'],
  ['plaidAccountIds', 'bank', 'plaid_account_ids'],
] as const;

/** Reads a filter from the query of the page. Parameters that are missing or invalid do not filter. */
export function readFilter(search: string): Filter {
  const given = new URLSearchParams(search);
  const status = given.get('status');
  const sort = sorts.find((each) => each === given.get('sort')) ?? '-date';
  const lists = Object.fromEntries(
    idLists.map(([name, parameter]) => [name, idsOf(given.get(parameter))]),
  ) as Record<(typeof idLists)[number][0], number[]>;
  return {
    ...lists,
    text: (given.get('q') ?? '').trim(),
    payee: given.get('payee') ?? '',
    status: status === 'reviewed' || status === 'unreviewed' ? status : 'all',
    recurringId: idsOf(given.get('recurring')).at(0) ?? null,
    importId: idsOf(given.get('import')).at(0) ?? null,
    sort,
  };
}

function idsOf(text: string | null): number[] {
  const ids = (text ?? '').split(',').filter((part) => /^\d{1,15}$/.test(part));
  return [...new Set(ids.map(Number))].toSorted((a, b) => a - b);
}

/** Writes a filter as the query of the page, without `?`; empty for {@link noFilter}. */
export function writeFilter(filter: Filter): string {
  const search = new URLSearchParams();
  const set = (name: string, value: string): void => {
    if (value !== '') search.set(name, value);
  };
  set('q', filter.text);
  set('payee', filter.payee);
  for (const [name, parameter] of idLists) set(parameter, filter[name].join(','));
  if (filter.status !== 'all') set('status', filter.status);
  set('recurring', String(filter.recurringId ?? ''));
  set('import', String(filter.importId ?? ''));
  if (filter.sort !== '-date') set('sort', filter.sort);
  return search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** The parameters of GET /coffer/transactions for a filter. */
export function toParameters(filter: Filter): Readonly<Record<string, string>> {
  const typed = readTyped(filter.text);
  const lists = idLists.map(([name, , parameter]) => [parameter, filter[name].join(',')]);
  const all: Record<string, string | null> = {
    q: searchedIn(typed.words).words,
    payee: filter.payee,
    min_amount: typed.minAmount,
    max_amount: typed.maxAmount,
    start_date: typed.startDate,
    end_date: typed.endDate,
    ...(Object.fromEntries(lists) as Record<string, string>),
    status: filter.status === 'all' ? '' : filter.status,
    recurring_id: String(filter.recurringId ?? ''),
    import_id: String(filter.importId ?? ''),
    sort: filter.sort === '-date' ? '' : filter.sort,
  };
  const given = Object.entries(all).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(given as [string, string][]);
}

/** Whether only the first words of a search are searched. */
export function isSearchCut({ text }: Filter): boolean {
  return searchedIn(readTyped(text).words).isCut;
}

/** Whether a filter lists all transactions. */
export function isUnfiltered(filter: Filter): boolean {
  return writeFilter({ ...filter, sort: '-date' }) === '';
}
