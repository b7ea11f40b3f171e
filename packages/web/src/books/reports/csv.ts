import { roundedSum } from '../formats/money.ts';
import type { Report, ReportRow } from './category-report.ts';

/** What a spreadsheet may run as a formula; the lists of the service mark the same texts (OWASP, CSV Injection). */
const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u;

/** Returns a table as CSV (RFC 4180). A text that may be a formula gets an apostrophe before it; numbers do not. */
export function csvOf(lines: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const safe = formula.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

/** The titles of the columns of a report, and the names of its lines. */
export interface ReportTitles {
  readonly group: string;
  readonly name: string;
  readonly total: string;
  readonly before: string;
  readonly nameOf: (row: ReportRow) => string;
}

/** Returns some lines of a report as a table, with those of groups that are open. Sums have a decimal point. */
export function tableOfReport(
  report: Report,
  rows: readonly ReportRow[],
  isOpen: (row: ReportRow) => boolean,
  titles: ReportTitles,
  currency: string,
): string[][] {
  const { group, name, total, before, nameOf } = titles;
  const sum = (units: bigint): string => decimalOf(units, currency);
  const isCompared = report.before !== null;
  const sums = (row: Pick<ReportRow, 'total' | 'before' | 'units'>): string[] => [
    sum(row.total),
    ...(isCompared ? [sum(row.before ?? 0n)] : []),
    ...row.units.map(sum),
  ];
  const head = [group, name, total, ...(isCompared ? [before] : [])];
  return [
    [...head, ...report.columns.map(({ key }) => key)],
    ...rows.flatMap((row) => {
      if (row.members.length === 0) return [['', nameOf(row), ...sums(row)]];
      const members = isOpen(row) ? row.members : [];
      const own = [nameOf(row), '', ...sums(row)];
      return [own, ...members.map((member) => [nameOf(row), nameOf(member), ...sums(member)])];
    }),
    [total, '', ...sums({ ...report, units: report.totals })],
  ];
}

/** A sum as a decimal with the places of its currency. */
export function decimalOf(units: bigint, currency: string): string {
  return roundedSum(units, currency).replace(/(\.\d\d)00$/, '$1');
}
