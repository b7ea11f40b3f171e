/** The members of a transaction that an edit changes at once on the screen. */
export interface EditableRow {
  readonly id: number;
  readonly date: string;
  readonly payee: string;
  readonly amount: string;
  readonly notes: string | null;
  readonly category_id: number | null;
  readonly tag_ids: readonly number[];
  readonly status: string;
}

/** A page of a list as the cache has it. */
export interface PageOf<Row> {
  readonly transactions: readonly Row[];
}

/** Returns the page with new values in the rows with these ids; the same page when it has none of them. */
export function withValues<Row extends EditableRow, Page extends PageOf<Row>>(
  page: Page,
  values: ReadonlyMap<number, Partial<Row>>,
): Page {
  if (!page.transactions.some(({ id }) => values.has(id))) return page;
  const transactions = page.transactions.map((row) => {
    const own = values.get(row.id);
    return own === undefined ? row : { ...row, ...own };
  });
  return { ...page, transactions };
}

/** Returns the tags with one more, or without it if it was there. */
export function toggled(ids: readonly number[], id: number): number[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
}

/** A month with its transactions in a list, newest first. */
export interface MonthCount {
  readonly month: string;
  readonly count: number;
}

/** Returns the row at which a month begins in a list that is sorted by date. */
export function firstRowOf(months: readonly MonthCount[], month: string): number {
  const at = months.findIndex((each) => each.month <= month);
  const before = at === -1 ? months : months.slice(0, at);
  return before.reduce((rows, { count }) => rows + count, 0);
}

/** Returns the month of a row in a list that is sorted by date; null when the list is empty. */
export function monthOfRow(months: readonly MonthCount[], row: number): string | null {
  let rows = 0;
  for (const { month, count } of months) {
    rows += count;
    if (row < rows) return month;
  }
  return months.at(-1)?.month ?? null;
}
