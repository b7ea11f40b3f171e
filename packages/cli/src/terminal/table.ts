import { printable } from '@coffer/core/text';
import { writeLine, type CommandContext, type JsonOption } from './context.ts';

const number = /^-?\d+(?:\.\d+)?$/;
const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d\.\d{3}Z$/;
/** Characters that a terminal draws twice as wide. */
const wide =
  /\p{Emoji_Presentation}|[\p{sc=Han}\p{sc=Hangul}\u3000-\u303e\u3041-\u30ff\u31f0-\u31ff\uff01-\uff60]/u;
const segmenter = new Intl.Segmenter();

/**
 * Writes a list to stdout: with `--json` a line of JSON for each record, else a table with the properties `keys`, by
 * default all. On a terminal the titles are underlined. For an empty list it writes the message `none` to stderr.
 */
export function writeList(
  records: readonly object[],
  none: string,
  { json }: JsonOption,
  { stdout, stderr }: CommandContext,
  keys: readonly string[] = Object.keys(records[0] ?? {}),
): void {
  if (records.length === 0) writeLine(stderr, none);
  else if (json === true) for (const each of records) writeLine(stdout, JSON.stringify(each));
  else {
    const titles = keys.map((key) => key.replaceAll('_', ' ').toUpperCase());
    const cells = records.map((each) =>
      keys.map((key) => cellOf((each as Record<string, unknown>)[key])),
    );
    const isTerminal = 'isTTY' in stdout && stdout.isTTY === true;
    for (const line of tableOf(titles, cells, isTerminal)) writeLine(stdout, line);
  }
}

/** Returns a value as text: a time to the minute, an array as its length, null as `-`. */
function cellOf(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return String(value.length);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.replace(time, '$1Z'));
}

/** Returns the lines of a table; numbers are aligned to the right. With `isRuled` the titles are underlined. */
export function tableOf(
  titles: readonly string[],
  cells: readonly string[][],
  isRuled: boolean,
): string[] {
  const columns = titles.map((title, at) => [title, ...cells.map((line) => line[at]!)]);
  const aligned = columns.map((column) => {
    const width = widest(column);
    const values = column.slice(1).filter((text) => text !== '-');
    const isNumber = values.length > 0 && values.every((text) => number.test(text));
    if (isRuled) column.splice(1, 0, '─'.repeat(width));
    return column.map((text) => {
      const blanks = ' '.repeat(width - widthOf(text));
      return isNumber ? blanks + text : text + blanks;
    });
  });
  return aligned[0]!.map((_, at) =>
    aligned
      .map((column) => column[at])
      .join('  ')
      .trimEnd(),
  );
}

/** Returns how many columns of a terminal the widest text takes. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

function widthOf(text: string): number {
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + drawnWidth(segment), 0);
}

function drawnWidth(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}

/** Cuts a text that is wider than `width` columns of a terminal, and marks the cut with `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += drawnWidth(segment);
    if (used > width) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}

/** Adds blanks up to `width` columns of a terminal. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
