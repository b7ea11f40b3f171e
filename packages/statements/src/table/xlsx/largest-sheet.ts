import type { RandomBytes, ZipEntry } from '@coffer/core/zip';
import { UnpackedLimit } from '../../bytes/unpacked-limit.ts';
import { Refusal } from '../../statement/statement-error.ts';
import { SHEET_MARK } from '../../bytes/sheet-mark.ts';
import { partOf, type Workbook } from './parts.ts';
import { readSheet } from './sheet.ts';
import { readContents, type Contents, type Sheet } from './workbook.ts';

const PIECE_LENGTH = 32_768;

interface Found {
  readonly sheet: Sheet;
  readonly entry: ZipEntry;
  readonly cellCount: number;
}

/** Whether an archive is an .xlsx file. */
export function isWorkbook(entries: readonly ZipEntry[]): boolean {
  return entries.some(({ name }) => name.toLowerCase() === 'xl/workbook.xml');
}

/**
 * Writes the visible sheet with the most cells as a table in HTML. Each row is on the line of its number, so that
 * messages name the row that a user sees.
 * Errors: Refusal if the workbook is damaged, exceeds a limit, or has no cells.
 */
export async function writeLargestSheet(
  archive: RandomBytes,
  entries: readonly ZipEntry[],
  maxBytes: number,
  write: (piece: Uint8Array) => void,
): Promise<void> {
  // What is read twice, and what is written, each has its own limit.
  const open = (): Workbook => ({ archive, entries, limit: new UnpackedLimit(maxBytes) });
  const workbook = open();
  const contents = await readContents(workbook);
  const found = await countCells(workbook, contents);
  const largest = found.toSorted((a, b) => b.cellCount - a.cellCount)[0];
  if (largest === undefined) throw new Refusal('The spreadsheet has no cells');
  const output = new Output(open(), write);
  output.add(
    `${SHEET_MARK} data-sheet="${escaped(largest.sheet.name)}" data-count="${found.length}">`,
  );
  let line = 1;
  await readSheet(open(), largest.entry, contents, ({ number, cells }) => {
    output.add('\n'.repeat(number - line));
    line = number;
    output.add(`<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`);
  });
  output.add('</table>\n');
  output.flush();
}

/** The sheets with cells: the visible ones, or all if all are hidden. */
async function countCells(workbook: Workbook, contents: Contents): Promise<Found[]> {
  const visible = contents.sheets.filter(({ isHidden }) => !isHidden);
  const found: Found[] = [];
  for (const sheet of visible.length > 0 ? visible : contents.sheets) {
    const entry = partOf(workbook, sheet.part);
    if (entry === undefined) continue;
    let cellCount = 0;
    await readSheet(workbook, entry, contents, ({ cells }) => {
      cellCount += cells.filter((cell) => cell !== '').length;
    });
    if (cellCount > 0) found.push({ sheet, entry, cellCount });
  }
  return found;
}

class Output {
  readonly #workbook: Workbook;
  readonly #write: (piece: Uint8Array) => void;
  #text = '';

  constructor(workbook: Workbook, write: (piece: Uint8Array) => void) {
    this.#workbook = workbook;
    this.#write = write;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.flush();
  }

  /** A text that many cells share can make much of little. */
  flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#workbook.limit.add(piece.length, this.#workbook.archive.length);
    this.#write(piece);
  }
}

/** A text of HTML on one line. */
function escaped(text: string): string {
  const plain = text.replace(/[\s\0]+/g, ' ');
  if (!/[&<>"]/.test(plain)) return plain;
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
