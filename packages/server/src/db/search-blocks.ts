import { foldText, headOf } from '@coffer/core/fold';

/*
 * The form in which search keeps transactions: blocks of rows, packed by columns, with the different words of their
 * texts and which rows have each. To look through the words of a block takes less time than to find its rows by an
 * index, so one form serves rare words, frequent ones and single letters.
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
  /** The words of its payee and notes, from {@link searchedWords}. A block has each once, in any order. */
  readonly words: readonly string[];
}

/** The most rows of a block: if all texts are different, it has about 30 kB. */
export const blockRows = 1024;

/**
 * Returns the words of the payee and the notes of a transaction, folded. No searched word has a space, so a text has it
 * if one of these has it. Each character of a word is a byte of it in UTF-8.
 */
export function searchedWords(payee: string, notes: string | null): string[] {
  const folded = foldText(headOf(payee));
  const text = notes === null ? folded : `${folded} ${foldText(headOf(notes))}`.trim();
  return text === '' ? [] : asBytes(text).split(' ');
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
  readonly toBase: Column;
  readonly amounts: Column;
  /**
   * The different words of all rows, each after a space, a character for each byte: a search for a space and letters
   * finds where words begin.
   */
  readonly words: string;
  readonly wordCount: number;
  /** How many bytes each word has, with its space, and how many rows have it. */
  readonly lengths: Column;
  readonly holders: Column;
  /**
   * The places of the rows with each word, one word after the other: ascending, or if they are {@link mapLength} or
   * more, as a map of that length with a bit for each row of a block.
   */
  readonly places: Uint16Array;
}

/** A packed block, in two parts: to look for rare words, only the words are read. */
export interface PackedBlock {
  readonly words: Buffer;
  readonly block: Buffer;
}

type Stored = Readonly<Record<keyof PackedBlock, Uint8Array>>;

/** Returns the bytes that {@link readBlock} reads. */
export function joinedBlock({ block, words }: Stored): Buffer {
  return Buffer.concat([block, words]);
}

/** 16-bit numbers with a bit for each row of a block. */
export const mapLength: number = blockRows / 16;

const columnCount = 7;
const numberBytes = 8;
/** The counts of rows, bytes, words and places, and for each column its base and width. */
const headBytes = (4 + 2 * columnCount) * numberBytes;

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

/** The values of a column of rows that all have its base. */
export const zeros: Uint8Array = new Uint8Array(blockRows);

/**
 * Packs rows, at most {@link blockRows}, sorted by id.
 *
 * A block has a head of numbers, the columns and the places, each beginning at a multiple of 8 bytes. A column has a
 * base and the differences from it in as few bytes as the largest needs: none if all are equal. Numbers are
 * little-endian. The words are apart.
 */
export function packBlock(rows: readonly SearchedRow[]): PackedBlock {
  const byWord = placesByWord(rows);
  const words = [...byWord.keys()];
  const isOwn = rows.every(({ toBase, amount }) => toBase === amount);
  const columns = [
    packColumn(rows.map(({ id }, place) => id - place)),
    packColumn(rows.map(({ day }) => day)),
    packColumn(rows.map(({ kind }) => kind)),
    isOwn ? sameAsAmounts : packColumn(rows.map(({ toBase }) => toBase)),
    packColumn(rows.map(({ amount }) => amount)),
    packColumn(words.map((word) => word.length + 1)),
    packColumn([...byWord.values()].map((places) => places.length)),
  ];
  const places = packPlaces([...byWord.values()]);
  const packed = columns.map(({ bytes }) => bytes);
  const head = Float64Array.from([
    rows.length,
    packed.reduce((sum, each) => sum + each.length, headBytes + places.byteLength),
    words.length,
    places.length,
    ...columns.flatMap(({ base, width }) => [base, width]),
  ]);
  return {
    words: Buffer.from(words.map((word) => ` ${word}`).join(''), 'latin1'),
    block: Buffer.concat([Buffer.from(head.buffer), ...packed, Buffer.from(places.buffer)]),
  };
}

function placesByWord(rows: readonly SearchedRow[]): Map<string, number[]> {
  const byWord = new Map<string, number[]>();
  for (const [place, { words }] of rows.entries())
    for (const word of words) {
      const places = byWord.get(word);
      if (places === undefined) byWord.set(word, [place]);
      else if (places.at(-1) !== place) places.push(place);
    }
  return byWord;
}

function packPlaces(all: readonly (readonly number[])[]): Uint16Array<ArrayBuffer> {
  const length = all.reduce((sum, places) => sum + Math.min(places.length, mapLength), 0);
  const packed = new Uint16Array(length);
  let at = 0;
  for (const places of all) {
    if (places.length < mapLength) packed.set(places, at);
    else for (const place of places) packed[at + (place >> 4)]! |= 1 << (place & 15);
    at += Math.min(places.length, mapLength);
  }
  return packed;
}

interface PackedColumn {
  readonly base: number;
  readonly width: Width;
  readonly bytes: Buffer;
}

const noBytes = Buffer.alloc(0);
/** What `toBase` is if each row has the currency of the book. */
const sameAsAmounts: PackedColumn = { base: Number.NaN, width: 0, bytes: noBytes };

function packColumn(numbers: readonly number[]): PackedColumn {
  let [least, most] = [Infinity, -Infinity];
  for (const each of numbers) {
    if (each < least) least = each;
    if (each > most) most = each;
  }
  const width = widthOf(most - least);
  if (width === 0) return { base: least, width, bytes: noBytes };
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

/**
 * Reads a block of {@link packBlock}, whose parts are joined. Its columns may be views of these bytes. Throws a
 * RangeError for bytes that end too early.
 */
export function readBlock(bytes: Buffer): SearchBlock {
  const numberAt = (place: number): number => bytes.readDoubleLE(place * numberBytes);
  const [count, end, wordCount, placeCount] = [numberAt(0), numberAt(1), numberAt(2), numberAt(3)];
  // Arrays of numbers begin at a multiple of their size.
  const isAligned = bytes.byteOffset % numberBytes === 0;
  const numbers = isAligned ? bytes : new Uint8Array(bytes.subarray(0, end));
  const { buffer, byteOffset } = numbers as { buffer: ArrayBuffer; byteOffset: number };
  let at = headBytes;
  const column = (place: number, length = count): Column => {
    const [base, width] = [numberAt(4 + 2 * place), numberAt(5 + 2 * place) as Width];
    if (width === 0) return { base, values: length > blockRows ? new Uint8Array(length) : zeros };
    const values = new valuesOf[width](buffer, byteOffset + at, length);
    at += paddedBytes(length * width);
    return { base, values };
  };
  const [ids, days, kinds] = [column(0), column(1), column(2)];
  const [toBase, amounts] = [column(3), column(4)];
  const [lengths, holders] = [column(5, wordCount), column(6, wordCount)];
  return {
    count,
    ids,
    days,
    kinds,
    toBase: Number.isNaN(toBase.base) ? amounts : toBase,
    amounts,
    words: bytes.toString('latin1', end),
    wordCount,
    lengths,
    holders,
    places: new Uint16Array(buffer, byteOffset + at, placeCount),
  };
}

/** Returns the rows of a block, sorted by id. Throws a RangeError for a damaged one whose parts end elsewhere. */
export function rowsOfBlock(stored: Stored): SearchedRow[] {
  const bytes = joinedBlock(stored);
  if (bytes.readDoubleLE(numberBytes) !== stored.block.length)
    throw new RangeError('A block ends elsewhere');
  const { count, ids, days, kinds, toBase, amounts, ...texts } = readBlock(bytes);
  const words = Array.from({ length: count }, (): string[] => []);
  for (const [word, places] of placesOfWords(texts))
    for (const place of places) words[place]?.push(word);
  return words.map((own, place) => ({
    id: ids.base + ids.values[place]! + place,
    day: days.base + days.values[place]!,
    kind: kinds.base + kinds.values[place]!,
    amount: amounts.base + amounts.values[place]!,
    toBase: toBase.base + toBase.values[place]!,
    words: own,
  }));
}

function* placesOfWords({
  words,
  wordCount,
  lengths,
  holders,
  places,
}: Pick<SearchBlock, 'words' | 'wordCount' | 'lengths' | 'holders' | 'places'>): Generator<
  [word: string, places: readonly number[]]
> {
  let [start, first] = [0, 0];
  for (let word = 0; word < wordCount; word += 1) {
    const end = start + lengths.base + lengths.values[word]!;
    const length = Math.min(holders.base + holders.values[word]!, mapLength);
    yield [words.slice(start + 1, end), placesIn(places.subarray(first, first + length))];
    [start, first] = [end, first + length];
  }
  if (start !== words.length) throw new RangeError('The words of a block end elsewhere');
}

/** The rows of a block with a word. */
function placesIn(places: Uint16Array): readonly number[] {
  if (places.length < mapLength) return [...places];
  return Array.from({ length: blockRows }, (_, place) => place).filter(
    (place) => ((places[place >> 4]! >> (place & 15)) & 1) === 1,
  );
}
