import { printable } from '@coffer/core/text';
import { ImportRefusedError, type CheckedBalance } from '@coffer/server/src/imports/entry.ts';
import type { DoubtfulEntry, ImportSummary } from '@coffer/server/src/imports/commit.ts';
import { columnLabel, StatementError } from '@coffer/statements/src/statement/statement-error.ts';
import type { Statement, StatementProblem } from '@coffer/statements/src/statement/statement.ts';
import { formatAmount } from '@coffer/core/money';
import { statedToWire } from '@coffer/server/src/imports/statement-balances.ts';
import { explain, Failure } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import { UnclearFile } from './ask.ts';

/** Returns the summary for JSON. Amounts have four decimals; money out is negative. */
export function summaryRecord(summary: ImportSummary, statement: Statement): object {
  const { leftOut, warnings = [], badRows } = statement;
  const sums = Object.entries(summary.sumByCurrency);
  return {
    import_id: summary.importId,
    imported: summary.imported,
    skipped_duplicates: summary.skippedDuplicates,
    replaced: summary.replaced,
    skipped_by_choice: summary.skippedByChoice,
    doubtful: summary.doubtful.count,
    doubtful_rows: summary.doubtful.entries.map(doubtfulRecord),
    accounts_created: summary.accountsCreated,
    categories_created: summary.categoriesCreated,
    tags_created: summary.tagsCreated,
    first_date: summary.firstDate,
    last_date: summary.lastDate,
    sum_by_currency: Object.fromEntries(sums.map(([code, sum]) => [code, formatAmount(sum)])),
    balances: summary.balances.map(balanceRecord),
    without_rate: summary.withoutRate,
    currencies_without_rate: summary.currenciesWithoutRate,
    left_out: leftOut.reduce((so, { count: number }) => so + number, 0),
    bad_rows: badRows?.count ?? 0,
    bad_row_problems: (badRows?.problems ?? []).map(({ line, column, value, reason }) => {
      return { line, column, value, reason };
    }),
    warnings: warnings.map(({ line, text }) => ({ line, text })),
  };
}

function doubtfulRecord(entry: DoubtfulEntry): object {
  const { line, date, amount, payee, knownId, known, why, isImported } = entry;
  const row = { line, date, amount: formatAmount(amount), payee };
  const ofKnown = { ...known, amount: formatAmount(known.amount) };
  return { ...row, known_transaction_id: knownId, known: ofKnown, why, imported: isImported };
}

function balanceRecord({ account, ...checked }: CheckedBalance): object {
  return { account, ...statedToWire(checked) };
}

const mostBalances = 20;

/** Returns a line for each balance of the file, and a last one with the number of further ones. */
function balanceLines({ balances }: ImportSummary): string[] {
  const lines = balances.slice(0, mostBalances).map(({ account, day, balance, expected }) => {
    const difference = expected === null ? null : BigInt(balance) - expected;
    const of = `The balance of ${quote(account)} on ${day}, ${formatAmount(balance)},`;
    if (difference === null) return `${of} is the first one that is known.`;
    if (difference === 0n) return `${of} matches to the cent.`;
    const proof = `"coffer account prove ${printable(account)}" says more`;
    return `${of} is ${formatAmount(difference)} away from what the rows make: ${proof}.`;
  });
  const more = balances.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${count(more, 'more balance')}`] : [])];
}

/** Returns the summary for people: a paragraph, then a line for each balance and each row that may be known already. */
export function summaryText(
  file: string,
  summary: ImportSummary,
  { leftOut, badRows }: Statement,
  isDryRun: boolean,
): string {
  const { imported, skippedDuplicates, replaced } = summary;
  const { accountsCreated, categoriesCreated, tagsCreated } = summary;
  const would = isDryRun ? 'would be ' : '';
  const skipped =
    skippedDuplicates === 0
      ? ''
      : `, ${skippedDuplicates.toLocaleString('en')} skipped because the book has them already`;
  const bad = (badRows?.count ?? 0) === 0 ? '' : `, ${count(badRows!.count, 'bad row')} skipped`;
  const sentences = [
    `${printable(file)}: ${count(imported, 'transaction')} ${would}imported${skipped}${bad}.`,
  ];
  if (replaced > 0)
    sentences.push(`${count(replaced, 'pending transaction')} ${would}replaced by posted ones.`);
  const made = [
    ...(accountsCreated > 0 ? [count(accountsCreated, 'account')] : []),
    ...(categoriesCreated > 0 ? [count(categoriesCreated, 'category', 'categories')] : []),
    ...(tagsCreated > 0 ? [count(tagsCreated, 'tag')] : []),
  ];
  if (made.length > 0) sentences.push(`${listed(made)} ${would}created.`);
  if (leftOut.length > 0) {
    const things = leftOut.map(({ what, count: number }) => count(number, what, pluralOf(what)));
    sentences.push(`Left out: ${things.join(', ')}.`);
  }
  if (summary.firstDate !== null) sentences.push(extent(summary));
  if (summary.withoutRate > 0) sentences.push(withoutRate(summary));
  return [sentences.join(' '), ...balanceLines(summary), ...doubtfulLines(file, summary)].join(
    '\n',
  );
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(words);
}

/** Returns the rows that the book may have already, and a last line with the number of further ones. */
function doubtfulLines(
  file: string,
  { doubtful: { count: all, entries }, skippedByChoice }: ImportSummary,
): string[] {
  if (all === 0) return [];
  // The command leaves out no other rows.
  const imported = all - skippedByChoice;
  const numbers = [imported, all - imported].map((each) => each.toLocaleString('en'));
  const isMixed = imported > 0 && imported < all;
  const mixed = `${numbers[0]} imported, ${numbers[1]} not imported`;
  const what = isMixed ? mixed : imported > 0 ? 'imported' : 'not imported';
  const lines = doubtfulRows(file, entries, isMixed);
  const more = all - entries.length;
  return [
    `${count(all, 'row')} may be in the book already (${what}, see --on-doubt):`,
    ...lines,
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : []),
  ];
}

/** Returns a line for each of these rows, with the transaction that it may be. */
export function doubtfulRows(
  file: string,
  entries: readonly DoubtfulEntry[],
  isMixed = false,
): string[] {
  return entries.map((entry) => {
    const { line, knownId, known, why, isImported } = entry;
    const which = `transaction ${knownId}, ${rowText(known)}`;
    const place = `${printable(file)}:${line}`;
    const left = isMixed && !isImported ? 'not imported, ' : '';
    return `${place}: ${rowText(entry)}: ${left}may be ${which}: ${why}`;
  });
}

function rowText({ date, amount, payee }: DoubtfulEntry['known']): string {
  return `${date} ${formatAmount(amount)} ${quote(payee)}`;
}

/** Returns a line for each bad row that was skipped, and for each warning. */
export function warningLines(file: string, { warnings = [], badRows }: Statement): string[] {
  const lines = (badRows?.problems ?? []).map((problem) => problemLine(file, problem));
  const bad = badRows?.count ?? 0;
  const more = bad - lines.length;
  if (more > 0) lines.push(`and ${more.toLocaleString('en')} more`);
  if (bad > 0) lines.unshift(`${count(bad, 'bad row')} skipped:`);
  const places = warnings.map(({ line, text }) => {
    const place = line === null ? printable(file) : `${printable(file)}:${line}`;
    return `${place}: warning: ${printable(text)}`;
  });
  return [...lines, ...places];
}

/** Returns the plural: `securities transactions`, but `deletions of an earlier entry`. */
function pluralOf(what: string): string {
  return what.includes(' of ') ? what.replace(' of ', 's of ') : `${what}s`;
}

/** Returns dates and totals of all entries of the file, including those that were skipped. */
function extent({ firstDate, lastDate, sumByCurrency }: ImportSummary): string {
  const sums = Object.entries(sumByCurrency).map(([code, sum]) => `${formatAmount(sum)} ${code}`);
  return `Dates: ${firstDate} to ${lastDate}. Total: ${sums.join(', ')}.`;
}

/** Returns how many rows have no value in the currency of the book, and where rates come from. */
function withoutRate({ withoutRate: rows, currenciesWithoutRate }: ImportSummary): string {
  const subject = `${count(rows, 'transaction')} ${rows === 1 ? 'has' : 'have'} no exchange rate`;
  return `${subject} (${currenciesWithoutRate.join(', ')}): see "coffer rates import".`;
}

/** Returns the failure for a file that was not imported. It also reports the files before and after it. */
export function refusal(
  error: unknown,
  files: readonly string[],
  index: number,
  isDryRun: boolean,
): unknown {
  const file = files[index] ?? '';
  const lines = linesOf(file, error);
  if (lines === null) return error;
  lines.push(
    mayBeStored(error)
      ? `Import ${quote(file)} again: if its rows were stored, they are skipped`
      : `${quote(file)} ${isDryRun ? 'would not be' : 'was not'} imported`,
  );
  const before = files.slice(0, index).map(quote);
  const after = files.slice(index + 1).map(quote);
  if (before.length > 0)
    lines.push(`Files that ${isDryRun ? 'would be' : 'were'} imported: ${before.join(', ')}`);
  if (after.length > 0) lines.push(`Files that were not read: ${after.join(', ')}`);
  return new Failure(lines.join('\n'));
}

/** Returns the lines for users; null for a bug in Coffer. */
function linesOf(file: string, error: unknown): string[] | null {
  if (error instanceof UnclearFile)
    return [...(problemLines(file, error.error) ?? []), ...error.hints];
  const known = explain(error);
  return problemLines(file, error) ?? (known === null ? null : [known.message]);
}

/** Returns whether the connection to the database broke during the commit, so that the file may be stored. */
function mayBeStored(error: unknown): boolean {
  return (Object(error) as { mayBeStored?: unknown }).mayBeStored === true;
}

type Located = Pick<StatementProblem, 'line' | 'column' | 'value' | 'reason'>;

/**
 * Returns a line for each problem of a refused file, `FILE:LINE: column "X": value "Y": reason`, and a last line with
 * the number of further problems. Returns null for any other error.
 */
function problemLines(file: string, error: unknown): string[] | null {
  if (!(error instanceof StatementError) && !(error instanceof ImportRefusedError)) return null;
  const { problems, problemCount } = error;
  const lines = problems.map((problem) => problemLine(file, problem));
  const more = problemCount - problems.length;
  if (more > 0) lines.push(`and ${more.toLocaleString('en')} more`);
  return lines;
}

function problemLine(file: string, { line, column, value, reason }: Located): string {
  const parts = [`${printable(file)}:${line}`];
  if (column !== null) parts.push(columnLabel(column, quote));
  if (value !== null) parts.push(`value ${quote(value)}`);
  return [...parts, reason].join(': ');
}
