import { formatAmount } from '@coffer/core/money';
import type { ExportedTransaction } from './exported.ts';

/** Returns the lines of transactions as CSV, one cell after the other. */
export function csvModel(all: readonly ExportedTransaction[]): string {
  const left = /"(is_pending|is_split_parent|is_group_parent)":true/;
  return all
    .filter(({ json }) => !left.test(withoutTexts(json)))
    .map((each) => {
      const { id, date, amount, currency, payee, notes, status, externalId } = each;
      const texts = [each.accountName, each.categoryName, each.tagNames.join(', ')];
      const cells = [id, date, formatAmount(-amount), currency];
      const exact = [payee === '' ? '' : cell(payee, true), cell(notes, true)];
      return [...cells, ...exact, ...texts.map((text) => cell(text)), status, cell(externalId)];
    })
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
}

/** Returns the lines of transactions as NDJSON. */
export function ndjsonModel(all: readonly ExportedTransaction[]): string {
  return all.map(({ json }) => `{"type":"transaction",${json.slice(1)}\n`).join('');
}

function withoutTexts(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (key, value: unknown) => (key.endsWith('metadata') ? 0 : value)),
  );
}

function cell(text: string | null, isExact = false): string {
  if (text === null) return '';
  const isMarked = (each: string): boolean =>
    /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u.test(each) ||
    (isExact && (each === '' || each.trim() !== each));
  const marked = isMarked(text)
    ? `'${text}`
    : text.startsWith("'") && isMarked(text.slice(1))
      ? ` ${text}`
      : text;
  const needsQuotes = /[",;|\t\r\n]|^\s|\s$/.test(marked);
  return needsQuotes ? `"${marked.replaceAll('"', '""')}"` : marked;
}
