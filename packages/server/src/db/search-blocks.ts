import { foldText, headOf } from '@coffer/core/fold';

/*
 * The form in which search keeps transactions: blocks of rows, packed by columns. To look through the texts of a block
 * takes less time than to find its rows by an index, so one form serves rare words, frequent ones and single letters.
 */

/** A transaction as search compares it. */
export interface SearchedRow {
  readonly id: number;
  /** The date as a number: 20241231. */
  readonly day: number;
  /** What hides it from plain lists: see `hiddenBy`. */
  readonly kind: number;
  /** Ten-thousandths, in its own currency and in that of the book. */
  readonly amount: number;
  readonly toBase: number;
  /** Its payee and notes, from {@link searchedDocument}. */
  readonly text: string;
}

/** The most rows of a block: it has about 50 kB. */
export const blockRows = 1024;

/**
 * Returns the text in which the words of a transaction are searched: its payee, and its notes in a second line, folded.
 * A space precedes each word, so that a search for a space and letters finds where words begin. Each character of the
 * result is a byte of the text in UTF-8.
 */
export function searchedDocument(payee: string, notes: string | null): string {
  const folded = ` ${foldText(headOf(payee))}\n`;
  return asBytes(notes === null ? folded : `${folded} ${foldText(headOf(notes))}\n`);
}

/** Returns a text whose characters are the bytes of another one in UTF-8. */
export function asBytes(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text).toString('latin1');
}

const ascii = /^[\u0000-\u007f]*$/;

/** The values of a column of a block: each is `base` and the number in its place. */
export interface Column {
  readonly base: number;
  readonly values: Uint8Array | Uint16Array | Uint32Array | Float64Array;
}

/** A block that is read. */
export interface SearchBlock {
  readonly count: number;
  /** Ids less their places: those that follow each other have the same number. */
  readonly ids: Column;
  readonly days: Column;
  readonly kinds: Column;
  /** How many bytes of the text each row has. */
  readonly lengths: Uint16Array;
  readonly toBase: Column;
  readonly amounts: Column;
  /** The texts of all rows, a character for each byte. */
  readonly text: string;
}

const columnCount = 5;
const numberBytes = 8;
/** The count, the bytes of the numbers, and for each column its base and width. */
const headBytes = (2 + 2 * columnCount) * numberBytes;

function paddedBytes(length: number): number {
  return Math.ceil(length / numberBytes) * numberBytes;
}

const valuesOf = {
  [1]: Uint8Array,
  [2]: Uint16Array,
  [4]: Uint32Array,
  [8]: Float64Array,
} as const;
type Width = 0 | keyof typeof valuesOf;

/** The values of a column whose rows all have its base. */
export const zeros: Uint8Array = new Uint8Array(blockRows);

/**
 * Packs rows, at most {@link blockRows}, sorted by id.
 *
 * A block has a head of numbers, the lengths of the texts, the columns, each beginning at a multiple of 8 bytes, and
 * the texts. A column has a base and the differences from it in as few bytes as the largest needs: none if all are
 * equal.
 * Numbers are little-endian.
 */
export function packBlock(rows: readonly SearchedRow[]): Buffer {
  const columns = [
    packColumn(rows.map(({ id }, place) => id - place)),
    packColumn(rows.map(({ day }) => day)),
    packColumn(rows.map(({ kind }) => kind)),
    packColumn(rows.map(({ toBase }) => toBase)),
    packColumn(rows.map(({ amount }) => amount)),
  ];
  const packed = columns.map(({ bytes }) => bytes);
  const lengths = Buffer.alloc(paddedBytes(2 * rows.length));
  for (const [place, row] of rows.entries()) lengths.writeUInt16LE(row.text.length, 2 * place);
  const numbers = packed.reduce((sum, each) => sum + each.length, headBytes + lengths.length);
  const head = Float64Array.from([
    rows.length,
    numbers,
    ...columns.flatMap(({ base, width }) => [base, width]),
  ]);
  const text = Buffer.from(rows.map((row) => row.text).join(''), 'latin1');
  return Buffer.concat([Buffer.from(head.buffer), lengths, ...packed, text]);
}

interface PackedColumn {
  readonly base: number;
  readonly width: Width;
  readonly bytes: Buffer;
}

function packColumn(numbers: readonly number[]): PackedColumn {
  let [least, most] = [Infinity, -Infinity];
  for (const each of numbers) {
    if (each < least) least = each;
    if (each > most) most = each;
  }
  const width = widthOf(most - least);
  if (width === 0) return { base: least, width, bytes: Buffer.alloc(0) };
  const base = width === numberBytes ? 0 : least;
  const bytes = Buffer.alloc(paddedBytes(numbers.length * width));
  const values = new valuesOf[width](bytes.buffer, bytes.byteOffset, numbers.length);
  for (const [place, each] of numbers.entries()) values[place] = each - base;
  return { base, width, bytes };
}

function widthOf(span: number): Width {
  if (span <= 0) return 0;
  if (span < 2 ** 8) return 1;
  if (span < 2 ** 16) return 2;
  return span < 2 ** 32 ? 4 : 8;
}

/** Reads a block of {@link packBlock}. Its columns may be views of these bytes. */
export function readBlock(bytes: Buffer): SearchBlock {
  const [count, end] = [bytes.readDoubleLE(0), bytes.readDoubleLE(numberBytes)];
  // Arrays of numbers begin at a multiple of their size.
  const isAligned = bytes.byteOffset % numberBytes === 0;
  const numbers = isAligned ? bytes : new Uint8Array(bytes.subarray(0, end));
  const { buffer, byteOffset } = numbers as { buffer: ArrayBuffer; byteOffset: number };
  const lengths = new Uint16Array(buffer, byteOffset + headBytes, count);
  let at = headBytes + paddedBytes(2 * count);
  const column = (place: number): Column => {
    const base = bytes.readDoubleLE((2 + 2 * place) * numberBytes);
    const width = bytes.readDoubleLE((3 + 2 * place) * numberBytes) as Width;
    if (width === 0) return { base, values: zeros };
    const values = new valuesOf[width](buffer, byteOffset + at, count);
    at += paddedBytes(count * width);
    return { base, values };
  };
  const [ids, days, kinds] = [column(0), column(1), column(2)];
  const [toBase, amounts] = [column(3), column(4)];
  return { count, ids, days, kinds, lengths, toBase, amounts, text: bytes.toString('latin1', end) };
}

/** Returns the rows of a block, sorted by id. */
export function rowsOfBlock(bytes: Buffer): SearchedRow[] {
  const { count, text, ...columns } = readBlock(bytes);
  const { ids, days, kinds, lengths, toBase, amounts } = columns;
  let end = 0;
  return Array.from({ length: count }, (_, place) => ({
    id: ids.base + ids.values[place]! + place,
    day: days.base + days.values[place]!,
    kind: kinds.base + kinds.values[place]!,
    amount: amounts.base + amounts.values[place]!,
    toBase: toBase.base + toBase.values[place]!,
    text: text.slice(end, (end += lengths[place]!)),
  }));
}
