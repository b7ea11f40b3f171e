import { foldText } from '@coffer/core/fold';
import { formatAmount } from '@coffer/core/money';
import type { Row } from '../../../db/table.ts';
import type { categories, transactions } from '../../../db/tables/tables.ts';
import { matcher } from '../../../pages/filter.ts';
import { without, type Selection } from '../../../pages/selection/query.ts';
import type { TransactionMonths, TransactionSums, SumsQuery } from '../selection/schema.ts';

type TransactionRow = Row<typeof transactions>;

/** A book as rows: what selections, months and sums must be, without any index or derived table. */
export interface SelectionModel {
  readonly rows: readonly TransactionRow[];
  readonly categories: readonly Row<typeof categories>[];
}

/** Returns all selected rows in their order. */
export function selectedRows(model: SelectionModel, selection: Selection): TransactionRow[] {
  const { category_id, category_ids = category_id === undefined ? null : [category_id] } =
    selection;
  const isListed = matcher(without(selection, ['category_id']), null);
  const found = model.rows.filter(
    (row) =>
      isListed(row) &&
      isAmong(withMembers(model, category_ids), row.category_id) &&
      isAmong(selection.manual_account_ids ?? null, row.manual_account_id) &&
      isAmong(selection.plaid_account_ids ?? null, row.plaid_account_id) &&
      isOfSide(model, selection.counts_as, row) &&
      hasTag(selection.tag_ids, JSON.parse(row.tag_ids) as number[]) &&
      hasWords(selection.words, row) &&
      (selection.payee === undefined || row.payee === selection.payee) &&
      (selection.is_split_part === undefined ||
        (row.split_parent_id !== null) === selection.is_split_part) &&
      (selection.import_id === undefined || row.import_id === selection.import_id) &&
      Math.abs(row.amount) >= (selection.min_amount ?? 0) &&
      Math.abs(row.amount) <= (selection.max_amount ?? Infinity),
  );
  const sign = selection.sort.startsWith('-') ? -1 : 1;
  const byAmount = selection.sort.endsWith('amount');
  const byPayee = selection.sort.endsWith('payee');
  const folded = (row: TransactionRow) => Buffer.from(foldText(row.payee));
  return found.toSorted(
    (a, b) =>
      sign *
      ((byAmount ? a.amount - b.amount : 0) ||
        (byPayee ? Buffer.compare(folded(a), folded(b)) : 0) ||
        (a.date < b.date ? -1 : Number(a.date > b.date)) ||
        a.id - b.id),
  );
}

/** Returns the months of rows, as the API shows them. */
export function monthsOf(rows: readonly TransactionRow[]): TransactionMonths {
  const byMonth = Map.groupBy(rows, ({ date }) => date.slice(0, 7));
  const months = [...byMonth].map(([month, each]) => ({ month, ...totalOf(each) }));
  return {
    months: months.toSorted((a, b) => (a.month < b.month ? 1 : -1)),
    ...totalOf(rows),
  };
}

/** The keys under which a row counts in sums, by what these are divided by: in each of its tags, and once elsewhere. */
const keysOf: Readonly<Record<string, (row: TransactionRow) => readonly object[]>> = {
  day: ({ date }) => [{ date }],
  month: ({ date }) => [{ month: date.slice(0, 7) }],
  category: ({ category_id }) => [{ category_id }],
  account: ({ manual_account_id, plaid_account_id }) => [{ manual_account_id, plaid_account_id }],
  payee: ({ payee }) => [{ payee }],
  tag: ({ tag_ids }) => {
    const ids = JSON.parse(tag_ids) as number[];
    return (ids.length === 0 ? [null] : ids).map((tag_id) => ({ tag_id }));
  },
};

/** Returns the sums of listed rows. */
export function sumsOfRows(model: SelectionModel, query: SumsQuery): TransactionSums['sums'] {
  const { start_date = '', end_date = '9999-12-31', counts_as: side } = query;
  const rows = model.rows.filter(
    (row) => row.date >= start_date && row.date <= end_date && isOfSide(model, side, row),
  );
  const listed = rows.filter(isListed).flatMap((row) => {
    const names = Object.keys(keysOf).filter((name) => query.by.split(',').includes(name));
    const keys = names.reduce<readonly object[]>(
      (all, name) => all.flatMap((one) => keysOf[name]!(row).map((key) => ({ ...one, ...key }))),
      [{}],
    );
    return keys.map((key) => ({ key, row }));
  });
  const groups = Map.groupBy(listed, ({ key }) => JSON.stringify(key));
  return [...groups.values()].map((each) => ({
    ...each[0]!.key,
    ...totalOf(each.map(({ row }) => row)),
  }));
}

function isListed(row: TransactionRow): boolean {
  return !row.is_pending && !row.is_split_parent && row.group_parent_id === null;
}

/** Whether a row counts on a side, as the totals of a summary say. */
function isOfSide(
  { categories: all }: SelectionModel,
  counting: SumsQuery['counts_as'],
  row: TransactionRow,
): boolean {
  if (counting === undefined) return true;
  const category = all.find(({ id }) => id === row.category_id);
  if (!isListed(row) || category?.exclude_from_totals === true) return false;
  return (category?.is_income ?? row.to_base < 0) === counting.startsWith('in');
}

function totalOf(rows: readonly TransactionRow[]): { count: number; total: string } {
  const total = rows.reduce((sum, { to_base }) => sum + BigInt(to_base), 0n);
  return { count: rows.length, total: formatAmount(total) };
}

function withMembers(
  model: SelectionModel,
  ids: readonly number[] | null,
): readonly number[] | null {
  if (ids === null) return null;
  const members = model.categories.filter(({ group_id }) => ids.includes(group_id ?? -1));
  return [...ids, ...members.map(({ id }) => id)];
}

function isAmong(ids: readonly number[] | null, id: number | null): boolean {
  return ids === null || ids.includes(id ?? 0);
}

function hasTag(wanted: readonly number[] | undefined, tags: readonly number[]): boolean {
  if (wanted === undefined) return true;
  return wanted.includes(0) ? tags.length === 0 : wanted.some((id) => tags.includes(id));
}

function hasWords(words: readonly string[], { payee, notes }: TransactionRow): boolean {
  const texts = [payee, notes ?? ''].map((text) => {
    const head = [...text].slice(0, 300).join('');
    return ` ${foldText(head)}`;
  });
  return words.every((word) =>
    texts.some((text) => text.includes([...word].length < 3 ? ` ${word}` : word)),
  );
}
