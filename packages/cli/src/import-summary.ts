import type { ImportSummary } from '@coffer/server';
import type { LeftOut } from '@coffer/statements';
import { decimal } from './decimal.ts';
import { count, printable } from './printable.ts';

/** The summary for machines: one line of JSON; money out negative, four decimals. */
export function summaryJson(summary: ImportSummary, leftOut: readonly LeftOut[]): string {
  const sums = Object.entries(summary.sumByCurrency);
  return JSON.stringify({
    imported: summary.imported,
    skipped_duplicates: summary.skippedDuplicates,
    accounts_created: summary.accountsCreated,
    categories_created: summary.categoriesCreated,
    first_date: summary.firstDate,
    last_date: summary.lastDate,
    sum_by_currency: Object.fromEntries(sums.map(([code, sum]) => [code, decimal(sum)])),
    left_out: leftOut.reduce((so, { count: number }) => so + number, 0),
  });
}

/** The summary for people: one paragraph. */
export function summaryText(
  file: string,
  summary: ImportSummary,
  leftOut: readonly LeftOut[],
  isDryRun: boolean,
): string {
  const { imported, skippedDuplicates, accountsCreated, categoriesCreated } = summary;
  const would = isDryRun ? 'would be ' : '';
  const skipped =
    skippedDuplicates === 0
      ? ''
      : `, ${skippedDuplicates.toLocaleString('en')} skipped because the book has them already`;
  const sentences = [
    `${printable(file)}: ${count(imported, 'transaction')} ${would}imported${skipped}.`,
  ];
  const made = [
    ...(accountsCreated > 0 ? [count(accountsCreated, 'account')] : []),
    ...(categoriesCreated > 0 ? [count(categoriesCreated, 'category', 'categories')] : []),
  ];
  if (made.length > 0) sentences.push(`${made.join(' and ')} ${would}made.`);
  if (leftOut.length > 0) {
    const things = leftOut.map(({ what, count: number }) => count(number, what, pluralOf(what)));
    sentences.push(`Left out: ${things.join(', ')}.`);
  }
  if (summary.firstDate !== null) sentences.push(extent(summary));
  return sentences.join(' ');
}

/** `securities transactions`, but `deletions of an earlier entry`. */
function pluralOf(what: string): string {
  return what.includes(' of ') ? what.replace(' of ', 's of ') : `${what}s`;
}

/** Over all entries of the file, those skipped too. */
function extent({ firstDate, lastDate, sumByCurrency }: ImportSummary): string {
  const sums = Object.entries(sumByCurrency).map(([code, sum]) => `${decimal(sum)} ${code}`);
  return `The file goes from ${firstDate} to ${lastDate} and comes to ${sums.join(', ')}.`;
}
