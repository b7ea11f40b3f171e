import { GrowingBytes, placeOfKey, RowValues, rowSeparator } from './wire-rows.ts';

/** The names of records by id. */
export interface ExportNames {
  readonly categories: ReadonlyMap<number, string>;
  readonly manual: ReadonlyMap<number, string>;
  readonly plaid: ReadonlyMap<number, string>;
  readonly tags: ReadonlyMap<number, string>;
}

const columns = [
  'id',
  'date',
  'amount',
  'currency',
  'payee',
  'notes',
  'account',
  'category',
  'tags',
  'status',
  'external_id',
];

/** The first line of the file. */
export const csvHeader = Buffer.from(`${columns.join(',')}\n`);

const keys = {
  id: placeOfKey('id'),
  date: placeOfKey('date'),
  amount: placeOfKey('amount'),
  currency: placeOfKey('currency'),
  payee: placeOfKey('payee'),
  notes: placeOfKey('notes'),
  manual: placeOfKey('manual_account_id'),
  plaid: placeOfKey('plaid_account_id'),
  category: placeOfKey('category_id'),
  tags: placeOfKey('tag_ids'),
  status: placeOfKey('status'),
  externalId: placeOfKey('external_id'),
};

/** Of a pending row, and of a row whose amount also appears on other rows. */
const leftOut = ['is_pending', 'is_split_parent', 'is_group_parent'].map(placeOfKey);

const [quote, comma, newline, minus, point, zero, nine, t, separator] = Buffer.from(
  `",\n-.09t${rowSeparator}`,
) as unknown as [number, number, number, number, number, number, number, number, number];

/** Lists of tags whose names are kept: a book has few. */
const mostTagLists = 10_000;
const nothing = Buffer.alloc(0);

/**
 * Converts transactions to CSV: a line for each amount.
 *
 * UTF-8, lines end with LF, quotes as in RFC 4180. Amounts have four decimals; money out is negative, as at banks. Each
 * amount appears once: the parts instead of a split transaction, the members instead of a group. Pending transactions
 * are left out, because the bank will send them again. An import of the file gives the same totals.
 */
export class CsvLines {
  readonly #names: ExportNames;
  readonly #values = new RowValues();
  readonly #categories: ReadonlyMap<number, Buffer>;
  readonly #manual: ReadonlyMap<number, Buffer>;
  readonly #plaid: ReadonlyMap<number, Buffer>;
  readonly #tagLists = new Map<string, Buffer>();
  #bytes: Buffer = nothing;
  #lines = new GrowingBytes(0);

  constructor(names: ExportNames) {
    this.#names = names;
    this.#categories = cellsOf(names.categories);
    this.#manual = cellsOf(names.manual);
    this.#plaid = cellsOf(names.plaid);
  }

  /** Returns the lines of the stored JSON of transactions, with {@link rowSeparator} between them. */
  linesOf(block: Buffer): Buffer<ArrayBuffer> {
    this.#bytes = block;
    this.#lines = new GrowingBytes((block.length >> 2) + 64);
    for (let at = 0; at < block.length;) {
      const end = this.#values.find(block, at);
      if (this.#movesMoney()) this.#addLine();
      // What follows the JSON in its row is of no use here.
      at = block[end] === separator ? end + 1 : nextRow(block, end);
    }
    return this.#lines.taken();
  }

  #movesMoney(): boolean {
    return leftOut.every((place) => this.#bytes[this.#values.start(place)] !== t);
  }

  #addLine(): void {
    const lines = this.#lines;
    lines.copy(this.#bytes, this.#values.start(keys.id), this.#values.end(keys.id));
    lines.byte(comma);
    this.#addWord(keys.date);
    this.#addAmount();
    this.#addWord(keys.currency);
    this.#addText(keys.payee, payeeCell);
    lines.byte(comma);
    this.#addText(keys.notes, exactCell);
    lines.byte(comma);
    const manual = this.#manual.get(this.#numberOf(keys.manual));
    lines.copy(manual ?? this.#plaid.get(this.#numberOf(keys.plaid)) ?? nothing);
    lines.byte(comma);
    lines.copy(this.#categories.get(this.#numberOf(keys.category)) ?? nothing);
    lines.byte(comma);
    lines.copy(this.#tagNames());
    lines.byte(comma);
    this.#addWord(keys.status);
    this.#addText(keys.externalId, textCell);
    lines.byte(newline);
  }

  /** Text that needs no quotes, and a comma. */
  #addWord(place: number): void {
    const { start, end } = this.#inside(place);
    this.#lines.copy(this.#bytes, start, end);
    this.#lines.byte(comma);
  }

  /** With the other sign. */
  #addAmount(): void {
    const { start, end } = this.#inside(keys.amount);
    const isNegative = this.#bytes[start] === minus;
    if (!isNegative && !isZero(this.#bytes, start, end)) this.#lines.byte(minus);
    this.#lines.copy(this.#bytes, isNegative ? start + 1 : start, end);
    this.#lines.byte(comma);
  }

  /** Most texts need neither quotes nor marks, and are copied. */
  #addText(place: number, cellOf: (text: string) => string): void {
    const [first, last] = [this.#values.start(place), this.#values.end(place)];
    if (this.#bytes[first] !== quote) return;
    if (isPlain(this.#bytes, first + 1, last - 1))
      this.#lines.copy(this.#bytes, first + 1, last - 1);
    else {
      const text = JSON.parse(this.#bytes.toString('utf8', first, last)) as string;
      this.#lines.copy(Buffer.from(cellOf(text)));
    }
  }

  #inside(place: number): { readonly start: number; readonly end: number } {
    return { start: this.#values.start(place) + 1, end: this.#values.end(place) - 1 };
  }

  /** Returns the id of a record; -1 for null. */
  #numberOf(place: number): number {
    const end = this.#values.end(place);
    let number = 0;
    for (let at = this.#values.start(place); at < end; at += 1) {
      const digit = this.#bytes[at]!;
      if (digit > nine) return -1;
      number = number * 10 + digit - zero;
    }
    return number;
  }

  #tagNames(): Buffer {
    const { start, end } = this.#inside(keys.tags);
    if (start === end) return nothing;
    const list = this.#bytes.toString('latin1', start, end);
    const known = this.#tagLists.get(list);
    if (known !== undefined) return known;
    if (this.#tagLists.size >= mostTagLists) this.#tagLists.clear();
    const ids = [...new Set(list.split(',').map(Number))].toSorted((a, b) => a - b);
    const names = ids.flatMap((id) => this.#names.tags.get(id) ?? []);
    const cell = Buffer.from(textCell(names.join(', ')));
    this.#tagLists.set(list, cell);
    return cell;
  }
}

function nextRow(block: Buffer, from: number): number {
  const end = block.indexOf(separator, from);
  return end < 0 ? block.length : end + 1;
}

function cellsOf(names: ReadonlyMap<number, string>): ReadonlyMap<number, Buffer> {
  return new Map([...names].map(([id, name]) => [id, Buffer.from(textCell(name))]));
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1)
    if (bytes[at] !== zero && bytes[at] !== point) return false;
  return true;
}

/** Bytes of JSON within a text that a cell of CSV does not have, or not without quotes. */
const special = tableOf(Buffer.from('"\\,;|'));
/** ASCII letters and digits: no formula, and no blank. */
const alphanumeric = tableOf(
  Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
);
/** Bytes that start a character from U+00C0 to U+05FF: none is a blank, invisible or the sign of a formula. */
const leadsTwo = tableOf(bytesFrom(0xc3, 0xd7));
/** Bytes that start a character from U+4000 to U+DFFF, of which the same is true. */
const leadsThree = tableOf(bytesFrom(0xe4, 0xed));

function tableOf(bytes: Uint8Array): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

function bytesFrom(first: number, last: number): Uint8Array {
  return Uint8Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** Whether the text of a string of JSON is itself a cell. False for some that are, and for the empty one. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return false;
  const first = bytes[start]!;
  if (alphanumeric[first] === 0 && leadsTwo[first] === 0 && leadsThree[first] === 0) return false;
  for (let at = start; at < end; at += 1) if (special[bytes[at]!] === 1) return false;
  const last = bytes[end - 1]!;
  if (last < 0x80) return last > 0x20;
  return leadsTwo[bytes[end - 2]!] === 1 || leadsThree[bytes[end - 3]!] === 1;
}

/**
 * Text that a spreadsheet may run as a formula: it starts with TAB, CR or LF, or with `=`, `+`, `-` or `@`, also in
 * full width or after blanks and invisible characters. Source: OWASP, CSV Injection.
 */
const formula = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * Returns a cell that no spreadsheet runs as a formula. A possible formula gets an apostrophe before it, which an
 * import removes. Text that already starts with such an apostrophe gets a blank before it, which an import trims.
 */
function textCell(text: string, isMarked = isFormula): string {
  if (isMarked(text)) return quoted(`'${text}`);
  if (text.startsWith("'") && isMarked(text.slice(1))) return quoted(` ${text}`);
  return quoted(text);
}

function isFormula(text: string): boolean {
  return formula.test(text);
}

/** Also marks an empty text, and one with blanks at an end, which an import would change. */
function exactCell(text: string): string {
  return textCell(text, (each) => each === '' || each.trim() !== each || isFormula(each));
}

/** An empty cell is an empty payee, but no notes. */
function payeeCell(payee: string): string {
  return payee === '' ? '' : exactCell(payee);
}

function quoted(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
