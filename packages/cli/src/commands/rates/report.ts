import { printable } from '@coffer/core/text';
import type {
  RatesFile,
  RatesFileError,
  RatesProblem,
} from '@coffer/server/src/ledger/currencies/ecb.ts';
import type { RatesSummary } from '@coffer/server/src/ledger/import-rates.ts';
import { count, quote } from '../../terminal/format.ts';

/** The currencies and dates of some files. */
interface Extent {
  readonly currencies: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly skippedColumns: readonly string[];
}

/** Returns the summary for JSON. */
export function summaryRecord(summary: RatesSummary, files: readonly RatesFile[]): object {
  const { currencies, firstDate, lastDate, skippedColumns } = extentOf(files);
  return {
    added: summary.added,
    changed: summary.changed,
    known: summary.known,
    currencies,
    first_date: firstDate,
    last_date: lastDate,
    skipped_columns: skippedColumns,
    updated_records: summary.updated.records,
    updated_books: summary.updated.books,
  };
}

/** Returns the summary for people: one paragraph. */
export function summaryText(summary: RatesSummary, files: readonly RatesFile[]): string {
  const { added, changed, known, updated } = summary;
  const { currencies, firstDate, lastDate, skippedColumns } = extentOf(files);
  const others = [
    ...(changed > 0 ? [`${changed.toLocaleString('en')} changed`] : []),
    ...(known > 0 ? [`${known.toLocaleString('en')} known already`] : []),
  ];
  const sentences = [`${[`${count(added, 'rate')} added`, ...others].join(', ')}.`];
  if (firstDate !== null)
    sentences.push(`${count(currencies, 'currency', 'currencies')}, ${firstDate} to ${lastDate}.`);
  if (skippedColumns.length > 0) {
    const names = skippedColumns.map(printable).join(', ');
    sentences.push(`Columns that are no supported currencies: ${names}.`);
  }
  if (updated.records > 0) {
    const records = count(updated.records, 'transaction or account', 'transactions and accounts');
    sentences.push(`${records} in ${count(updated.books, 'book')} updated.`);
  }
  return sentences.join(' ');
}

function extentOf(files: readonly RatesFile[]): Extent {
  const series = files.flatMap(({ rates }) => [...rates]).filter(([, { size }]) => size > 0);
  const dates = series.flatMap(([, ofCurrency]) => [...ofCurrency.keys()]).sort();
  return {
    currencies: new Set(series.map(([currency]) => currency)).size,
    firstDate: dates[0] ?? null,
    lastDate: dates.at(-1) ?? null,
    skippedColumns: [...new Set(files.flatMap((file) => file.skippedColumns))],
  };
}

/**
 * Returns a line for each problem of a file, `FILE:LINE: column "X": value "Y": reason`, and a last line with the
 * number of further problems.
 */
export function problemLines(
  file: string,
  { problems, problemCount }: RatesFileError,
): readonly string[] {
  const lines = problems.map((problem) => problemLine(file, problem));
  const more = problemCount - problems.length;
  return more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}

function problemLine(file: string, { line, column, value, reason }: RatesProblem): string {
  const place = line === null ? printable(file) : `${printable(file)}:${line}`;
  const parts = [place];
  if (column !== null) parts.push(`column ${quote(column)}`);
  if (value !== null) parts.push(`value ${quote(value)}`);
  return [...parts, reason].join(': ');
}
