const LF = 10;
const CR = 13;
const QUOTE = 34;

/** A row, and where it ends in the text. */
export interface QuotedRow {
  cells: string[];
  /** Where the line break stands that ends the row, or the end of the text. */
  end: number;
  /** Index of the last cell with text behind its closing quote; null: none. */
  badCell: number | null;
}

/**
 * Reads one row that holds quotes, from `begin` on.
 * Edges: a row that ends with the text may turn out to be longer when more text follows; where a
 * quote is not closed in the text, the position of that quote is returned.
 */
export function quotedRow(text: string, begin: number, delimiter: string): QuotedRow | number {
  const code = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let badCell: number | null = null;
  for (let at = begin; ; at += 1) {
    const quote = afterBlanks(text, at);
    if (text.charCodeAt(quote) !== QUOTE) {
      const end = cellEnd(text, at, code);
      cells.push(text.slice(at, end));
      at = end;
    } else {
      const close = closingQuote(text, quote + 1);
      if (close < 0) return quote;
      const end = cellEnd(text, close + 1, code);
      if (afterBlanks(text, close + 1) < end) badCell = cells.length;
      cells.push(unquoted(text, quote + 1, close));
      at = end;
    }
    if (text.charCodeAt(at) !== code) return { cells, end: at, badCell };
  }
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
}

/** Where a bare cell ends: at a delimiter, a line break or the end of the text. */
function cellEnd(text: string, from: number, delimiter: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === delimiter || code === LF || code === CR) return at;
  }
  return text.length;
}

/** Where the quote stands that closes a cell; -1 if that is not in the text. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

function unquoted(text: string, from: number, to: number): string {
  const cell = text.slice(from, to);
  return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
}
