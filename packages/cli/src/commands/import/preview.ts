import type { ImportSummary } from '@coffer/server/src/imports/commit.ts';
import type { EntryVerdict } from '@coffer/server/src/imports/entry.ts';
import type { Entry, Statement, TableMapping } from '@coffer/statements/src/statement/statement.ts';
import { formatAmount } from '@coffer/core/money';
import { printable } from '@coffer/core/text';
import { count, quote } from '../../terminal/format.ts';
import { cut, tableOf, widest } from '../../terminal/table.ts';

/** A row as it would be imported. */
interface PreviewRow extends Readonly<
  Pick<Entry, 'line' | 'date' | 'amount' | 'payee' | 'category' | 'account'>
> {
  readonly currency: string;
}

/** The rows that would be imported into an account. */
interface AccountTotal {
  /** Null for rows without an account. */
  readonly account: string | null;
  /** The number of its first entry in the file. */
  first: number;
  count: number;
  readonly sums: Map<string, bigint>;
  firstDate: string;
  lastDate: string;
}

const mostRows = 5;

/** Collects what a dry run would import, in memory that does not grow with the file. */
export class Preview {
  /** Entries without a verdict yet, by number. */
  readonly #waiting = new Map<number, Entry>();
  #rows: (PreviewRow & { readonly number: number })[] = [];
  readonly #totals = new Map<number, AccountTotal>();

  /** Streams the entries to the import. Begins again if the import does. */
  *entries(entries: Iterable<Entry>): Generator<Entry> {
    this.#waiting.clear();
    this.#totals.clear();
    this.#rows = [];
    let number = 0;
    for (const entry of entries) {
      number += 1;
      this.#waiting.set(number, entry);
      yield entry;
    }
  }

  /** Takes the verdict on an entry. Verdicts come in any order. */
  take({ number, isImported, currency, account }: EntryVerdict): void {
    const entry = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (entry === undefined || !isImported) return;
    this.#addTotal(number, entry, currency, account);
    if (this.#rows.length === mostRows && number > this.#rows.at(-1)!.number) return;
    const { line, date, amount, payee, category } = entry;
    const row = { line, date, amount, currency, payee, account: account?.name ?? null, category };
    this.#rows.push({ number, ...row });
    this.#rows.sort((a, b) => a.number - b.number);
    this.#rows.length = Math.min(mostRows, this.#rows.length);
  }

  /** The first five rows, in file order. */
  get rows(): PreviewRow[] {
    return this.#rows.map(({ number: _, ...row }) => row);
  }

  /** In the order in which the file has the accounts. */
  get totals(): readonly AccountTotal[] {
    return [...this.#totals.values()].sort((a, b) => a.first - b.first);
  }

  #addTotal(
    number: number,
    { date, amount }: Entry,
    currency: string,
    account: EntryVerdict['account'],
  ): void {
    const key = account?.id ?? 0;
    const total = this.#totals.get(key) ?? {
      account: account?.name ?? null,
      count: 0,
      sums: new Map<string, bigint>(),
      first: number,
      firstDate: date,
      lastDate: date,
    };
    this.#totals.set(key, total);
    total.count += 1;
    total.first = Math.min(total.first, number);
    total.sums.set(currency, (total.sums.get(currency) ?? 0n) + BigInt(amount));
    if (date < total.firstDate) total.firstDate = date;
    if (date > total.lastDate) total.lastDate = date;
  }
}

/** The most columns of a terminal for a text of each kind: a line has at most 80. */
const widths = { account: 18, category: 12, name: 28, sample: 24 };
const lineWidth = 80;
const gaps = 4 * 2;

/** Returns the lines of a dry run: the first rows, the mapping, what is skipped, and the totals of each account. */
export function previewLines(
  file: string,
  statement: Statement,
  preview: Preview,
  summary: ImportSummary,
  isRuled: boolean,
): string[] {
  const { mapping } = statement;
  const { rows, totals } = preview;
  const read = mapping === undefined ? [] : mappingLines(file, mapping, isRuled);
  const first = rows.length === 0 ? [] : ['', 'First rows:', ...rowLines(rows, isRuled)];
  const sums = totals.length === 0 ? [] : ['', 'By account:', ...totalLines(totals, isRuled)];
  const skipped = skippedLines(statement, summary);
  const all = skipped.length === 0 ? [] : ['', 'Skipped:', ...skipped];
  const lines = [...read, ...first, ...sums, ...all];
  if (lines[0] === '') lines.shift();
  return lines.length === 0 ? [] : [...lines, ''];
}

function rowLines(rows: readonly PreviewRow[], isRuled: boolean): string[] {
  const amounts = toTheRight(
    rows.map(({ amount, currency }) => `${formatAmount(amount)} ${currency}`),
  );
  const titles = ['DATE', 'AMOUNT', 'PAYEE', 'ACCOUNT', 'CATEGORY'];
  const cells = rows.map(({ date, payee, account, category }, at) => [
    date,
    amounts[at]!,
    shown(payee, lineWidth),
    shown(account, widths.account),
    shown(category, widths.category),
  ]);
  // The payee gets what the other columns leave.
  const others = titles.flatMap((title, column) =>
    column === 2 ? [] : [widest([title, ...cells.map((line) => line[column]!)])],
  );
  const left = lineWidth - gaps - others.reduce((sum, width) => sum + width, 0);
  const fitting = cells.map((line) => line.with(2, cut(line[2]!, left)));
  return tableOf(titles, fitting, isRuled);
}

function toTheRight(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => text.padStart(width));
}

function totalLines(totals: readonly AccountTotal[], isRuled: boolean): string[] {
  const cells = totals.flatMap(({ account, count: rows, sums, firstDate, lastDate }) =>
    [...sums].map(([currency, sum], index) => {
      const total = `${formatAmount(sum)} ${currency}`;
      const name = account === null ? '(no account)' : shown(account, widths.name);
      return index === 0
        ? [name, String(rows), total, firstDate, lastDate]
        : ['', '', total, '', ''];
    }),
  );
  const sums = toTheRight(cells.map(([, , sum = '']) => sum));
  const aligned = cells.map((line, at) => line.with(2, sums[at]!));
  return tableOf(['ACCOUNT', 'ROWS', 'TOTAL', 'FIRST', 'LAST'], aligned, isRuled);
}

/** What a column is used for that is not the first one of its key. */
function fallbackText(key: string): string {
  if (key === 'notes') return 'added to notes';
  return key === 'account' ? 'account of money in' : `${key} if blank`;
}

function mappingLines(file: string, mapping: TableMapping, isRuled: boolean): string[] {
  const { seen, columns, dateOrder, decimal, delimiter, encoding, isNegated } = mapping;
  const cells = seen.map(({ number, name, sample }) => {
    const keys = columns.filter((each) => each.number === number);
    const became = keys.map(({ key, isFallback }) => (isFallback ? fallbackText(key) : key));
    const texts = [shown(name, widths.name), shown(sample, widths.sample)];
    return [String(number), ...texts, became.join(', ') || '-'];
  });
  const details = [
    ...(delimiter === null ? [] : [`delimiter ${JSON.stringify(delimiter)}`]),
    `encoding ${encoding}`,
    `dates ${dateOrder}`,
    `decimal ${decimal}`,
    ...(isNegated ? ['signs changed'] : []),
  ];
  const title = `Columns of ${quote(file)}:`;
  return [
    title,
    ...tableOf(['NO', 'NAME', 'VALUE', 'READ AS'], cells, isRuled),
    details.join(', '),
  ];
}

/** Doubtful and bad rows are listed after the summary. */
function skippedLines({ leftOut, badRows }: Statement, summary: ImportSummary): string[] {
  const { skippedDuplicates, skippedByChoice, replaced } = summary;
  const bad = badRows?.count ?? 0;
  return [
    ...(skippedDuplicates > 0 ? [`${count(skippedDuplicates, 'row')}: known, in the book`] : []),
    ...(replaced > 0
      ? [`${count(replaced, 'row')}: the posted form of a pending transaction`]
      : []),
    ...(skippedByChoice > 0
      ? [`${count(skippedByChoice, 'row')}: doubtful, may be in the book`]
      : []),
    ...leftOut.map(({ what, count: number }) => `${count(number, 'row')}: left out, ${what}`),
    ...(bad > 0 ? [`${count(bad, 'row')}: bad, listed above`] : []),
  ];
}

function shown(text: string | null, width: number): string {
  return text === null || text === '' ? '-' : cut(printable(text), width);
}

/** Returns a dry run for JSON. */
export function previewRecord(statement: Statement, preview: Preview): object {
  const { mapping, leftOut } = statement;
  return {
    first_rows: preview.rows.map(({ amount, ...row }) => ({
      ...row,
      amount: formatAmount(amount),
    })),
    mapping: mapping === undefined ? null : mappingRecord(mapping),
    left_out: leftOut.map(({ what, count: number }) => ({ what, count: number })),
    accounts: preview.totals.map(({ account, count: rows, sums, firstDate, lastDate }) => ({
      account,
      count: rows,
      first_date: firstDate,
      last_date: lastDate,
      sum_by_currency: Object.fromEntries(
        [...sums].map(([code, sum]) => [code, formatAmount(sum)]),
      ),
    })),
  };
}

function mappingRecord(mapping: TableMapping): object {
  const { columns, seen, dateOrder, decimal, delimiter, encoding, isNegated } = mapping;
  return {
    columns: columns.map(({ key, number, name, isFallback }) => {
      return { key, number, name, is_fallback: isFallback };
    }),
    seen,
    date_format: dateOrder,
    decimal,
    delimiter,
    encoding,
    negate: isNegated,
  };
}
