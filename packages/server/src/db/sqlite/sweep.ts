import { closeSync, fstatSync, fsync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { raw } from 'sql-template-tag';
import { DatabaseError } from '../errors.ts';
import type { SqliteConnection } from './connection.ts';

/** Pages of one step: others wait some hundredths of a second. */
const pagesAtOnce = 64;
/** After so many lost places in the log, others write too much to keep up. */
const mostRestarts = 20;
/** The first byte of an overflow page with greater numbers could be one of a tree. */
const mostPages = 2 ** 25;
/** SQLite never uses the page with this byte. */
const lockByte = 2 ** 30;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
/** Kinds of pages: free ones, and those of them that list others. The rest are in use. */
const [free, listsOthers] = [1, 2];

/** How much of the write-ahead log was read. */
interface ReadLog {
  /** Grows by one each time the log begins again; -1 before the first reading. */
  readonly number: number;
  readonly frames: number;
}

/**
 * Overwrites all bytes of an SQLite file that belong to nothing, in steps: free pages, and the unused parts of pages
 * and of overflows. SQLite never reads these bytes, and has no statement that overwrites them, so they are written to
 * the file itself, only
 *
 * - with the write lock, so that no page changes,
 * - when the whole log is in the file, so that no checkpoint writes pages, and
 * - in a transaction that changes the database, so that all connections forget the pages that they remember.
 *
 * Unused bytes can move to a page that had its turn, when rows are inserted. So every page in the log gets another
 * turn. A kill at any time leaves a sound file, because only unused bytes differ.
 */
export class Sweep {
  readonly #connection: SqliteConnection;
  readonly #path: string;
  readonly #file: number;
  readonly #pageSize: number;
  /** The first page has the schema and no records. */
  #next = 2;
  readonly #again = new Set<number>();
  /** Changes when another connection commits. */
  #dataVersion = 0;
  #log: ReadLog = { number: -1, frames: 0 };
  /** Whether a checkpoint has written exactly the frames that were read. */
  #isInFile = false;
  #restarts = 0;
  /** The kinds of all pages, as the lists of free pages had them; null before they are read, and when they changed. */
  #kinds: Uint8Array | null = null;
  /** Where the lists begin, and how many pages they have. */
  #lists: Buffer = Buffer.alloc(8);

  /** `connection` has no other use: it alone remembers its pages. Throws a LayoutError for other kinds of files. */
  constructor(connection: SqliteConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.#file = openForGood(path);
    const header = this.#read(0, 100);
    this.#pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    // Neither bytes at the end of each page for extensions, nor pages about other pages.
    requireLayout(header[20] === 0 && header.readUInt32BE(52) === 0);
  }

  /**
   * Overwrites the unused bytes of some pages. Returns true when all pages are done.
   *
   * Throws a DatabaseError of the kind `busy` while others use the database, and a LayoutError for a damaged file.
   */
  step(): boolean {
    this.#locked(() => this.#readLog());
    const { log, checkpointed } = this.#connection.checkpoint();
    this.#isInFile = log === checkpointed && log === this.#log.frames;
    return this.#locked(() => {
      if (this.#readLog() || !this.#isInFile) throw inUse();
      if (this.#clearSome())
        this.#connection.perform(raw(`PRAGMA user_version = ${this.#version()}`));
      return this.#again.size === 0 && this.#next > this.#pageCount();
    });
  }

  /** Resolves when the disk has everything. */
  async sync(): Promise<void> {
    await promisify(fsync)(this.#file);
  }

  #locked<T>(work: () => T): T {
    // oxlint-disable-next-line require-yield
    const steps = function* () {
      return work();
    };
    return this.#connection.transaction('BEGIN IMMEDIATE', steps, 'COMMIT');
  }

  /** Notes the pages in the log. Returns whether there are frames that were not read before. */
  #readLog(): boolean {
    const file = openSync(`${this.#path}-wal`, 'r');
    try {
      const header = readAt(file, 0, logHeaderBytes);
      this.#follow(header.length < logHeaderBytes ? null : header.readUInt32BE(16));
      const before = this.#log.frames;
      for (const page of this.#framesAfter(file, header)) {
        this.#again.add(page);
        if (this.#kinds?.[page] === listsOthers) this.#kinds = null;
      }
      return this.#log.frames > before;
    } finally {
      closeSync(file);
    }
  }

  /**
   * Finds out whether the log has begun again; null if it is empty. Begins again if frames may have been missed: those
   * of a log between the last one and this one, or of one that another connection has emptied.
   */
  #follow(number: number | null): void {
    const { number: known, frames } = this.#log;
    const version = this.#connection.dataVersion;
    const isUnseen = number === null && version !== this.#dataVersion;
    this.#dataVersion = version;
    if (!isUnseen && (number === known || (number === null && frames === 0))) return;
    const next = (known + 1) % 2 ** 32;
    if (known !== -1 && (isUnseen || !(this.#isInFile && (number ?? next) === next)))
      this.#restart();
    this.#log = { number: number ?? next, frames: 0 };
    this.#isInFile = false;
  }

  #restart(): void {
    this.#restarts += 1;
    if (this.#restarts > mostRestarts) throw inUse();
    this.#next = 2;
    this.#again.clear();
    this.#kinds = null;
  }

  *#framesAfter(file: number, header: Buffer): Generator<number, void, undefined> {
    for (;;) {
      const at = logHeaderBytes + this.#log.frames * (frameHeaderBytes + this.#pageSize);
      const frame = readAt(file, at, frameHeaderBytes);
      // Frames after the last one are of an earlier log.
      if (frame.length < frameHeaderBytes || !frame.subarray(8, 16).equals(header.subarray(16, 24)))
        return;
      this.#log = { ...this.#log, frames: this.#log.frames + 1 };
      yield frame.readUInt32BE(0);
    }
  }

  /** Returns whether any page was changed. */
  #clearSome(): boolean {
    const count = this.#pageCount();
    requireLayout(count < mostPages);
    const kinds = this.#kindsOf(count);
    const isChanged = this.#turn(count).map((number) => this.#clear(number, kinds[number]));
    return isChanged.includes(true);
  }

  #turn(count: number): number[] {
    const pages = [...this.#again].slice(0, pagesAtOnce);
    for (const page of pages) this.#again.delete(page);
    for (; pages.length < pagesAtOnce && this.#next <= count; this.#next += 1)
      pages.push(this.#next);
    const lock = Math.floor(lockByte / this.#pageSize) + 1;
    return pages.filter((page) => page !== 1 && page !== lock && page <= count);
  }

  /**
   * Returns which pages are free. The lists are read again only when they changed: a change writes a page that lists
   * others, or what the first page says of them.
   */
  #kindsOf(count: number): Uint8Array {
    const lists = this.#read(32, 8);
    if (this.#kinds?.length === count + 1 && lists.equals(this.#lists)) return this.#kinds;
    this.#lists = lists;
    this.#kinds = this.#readLists(count, lists.readUInt32BE(0));
    return this.#kinds;
  }

  #readLists(count: number, first: number): Uint8Array {
    const kinds = new Uint8Array(count + 1);
    for (let trunk = first; trunk !== 0;) {
      requireLayout(trunk <= count && kinds[trunk] === 0);
      kinds[trunk] = listsOthers;
      const page = this.#page(trunk);
      const listed = page.readUInt32BE(4);
      requireLayout(listed <= this.#pageSize / 4 - 2);
      for (let at = 8; at < 8 + 4 * listed; at += 4) {
        const number = page.readUInt32BE(at);
        requireLayout(number <= count && kinds[number] === 0);
        kinds[number] = free;
      }
      trunk = page.readUInt32BE(0);
    }
    return kinds;
  }

  #clear(number: number, kind: number | undefined): boolean {
    const page = this.#page(number);
    if (kind === free) return this.#keep(number, page, 0);
    if (kind === listsOthers) return this.#keep(number, page, 8 + 4 * page.readUInt32BE(4));
    // The page with its beginning clears an overflow.
    if (!isTreePage(page)) return false;
    const { page: clear, overflows } = clearTreePage(page);
    const isChanged = overflows.map((overflow) => this.#clearOverflow(overflow)).includes(true);
    return this.#write(number, page, clear) || isChanged;
  }

  /** Only the last page of an overflow has unused bytes. */
  #clearOverflow({ first, bytes }: Overflow): boolean {
    let number = first;
    let left = bytes;
    for (; left > this.#pageSize - 4; left -= this.#pageSize - 4) {
      requireLayout(number > 1);
      number = this.#read((number - 1) * this.#pageSize, 4).readUInt32BE(0);
    }
    requireLayout(number > 1);
    return this.#keep(number, this.#page(number), 4 + left);
  }

  #keep(number: number, page: Buffer, bytes: number): boolean {
    const clear = Buffer.alloc(page.length);
    page.copy(clear, 0, 0, bytes);
    return this.#write(number, page, clear);
  }

  #write(number: number, old: Buffer, page: Buffer): boolean {
    if (page.equals(old)) return false;
    writeSync(this.#file, page, 0, page.length, (number - 1) * this.#pageSize);
    return true;
  }

  #page(number: number): Buffer {
    return this.#read((number - 1) * this.#pageSize, this.#pageSize);
  }

  #version(): number {
    return this.#read(60, 4).readUInt32BE(0);
  }

  #pageCount(): number {
    return Math.floor(fstatSync(this.#file).size / this.#pageSize);
  }

  #read(at: number, length: number): Buffer {
    const found = readAt(this.#file, at, length);
    requireLayout(found.length === length);
    return found;
  }
}

function readAt(file: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, at));
}

function inUse(): DatabaseError {
  return new DatabaseError('busy', 'Others are writing to the database');
}

const opened = new Map<string, number>();

/**
 * Opens a file of a database, and leaves it open for the next time: closing it would release the locks that SQLite has
 * on it in this process.
 */
function openForGood(path: string): number {
  const { dev, ino } = statSync(path);
  const name = `${dev} ${ino}`;
  const file = opened.get(name) ?? openSync(path, 'r+');
  opened.set(name, file);
  return file;
}

/*
 * Pages of an SQLite file without the bytes that belong to nothing. Source: https://sqlite.org/fileformat2.html,
 * "B-tree Pages", "Cell Payload Overflow Pages" and "The Freelist".
 */

/** A page that is not as the file format says. Nothing was changed. */
export class LayoutError extends Error {}

/** The rest of a value that has not enough space in its page: its first page, and its bytes. */
interface Overflow {
  readonly first: number;
  readonly bytes: number;
}

/** A page of a b-tree whose unused bytes are zero, and the overflows that begin in it. */
interface ClearPage {
  readonly page: Buffer;
  readonly overflows: readonly Overflow[];
}

interface Cell {
  readonly size: number;
  readonly overflow: Overflow | null;
}

const leaf = { index: 10, table: 13 };
const interior = { index: 2, table: 5 };
const smallestCell = 4;

/** Whether the first byte of a page is one of a b-tree. It is 0 in overflow pages, below 2^25 pages. */
function isTreePage(page: Buffer): boolean {
  return [...Object.values(leaf), ...Object.values(interior)].includes(page[0]!);
}

/**
 * Returns a page of a b-tree with its header, its cells and the heads of its free blocks only. Not for the first page
 * of a file. Throws a LayoutError if its parts do not fill it exactly, as an integrity check of SQLite does.
 */
function clearTreePage(page: Buffer): ClearPage {
  const isLeaf = page[0] === leaf.index || page[0] === leaf.table;
  const count = page.readUInt16BE(3);
  const pointers = isLeaf ? 8 : 12;
  const start = page.readUInt16BE(5) || 65_536;
  const clear = Buffer.alloc(page.length);
  requireLayout(pointers + 2 * count <= start);
  page.copy(clear, 0, 0, pointers + 2 * count);
  const overflows: Overflow[] = [];
  let filled = page[7]!;
  for (let at = pointers; at < pointers + 2 * count; at += 2) {
    const cell = page.readUInt16BE(at);
    requireLayout(cell >= start && cell <= page.length - smallestCell);
    const { size, overflow } = cellAt(page, cell);
    requireLayout(cell + size <= page.length);
    page.copy(clear, cell, cell, cell + size);
    if (overflow !== null) overflows.push(overflow);
    filled += size;
  }
  filled += copyFreeBlocks(page, clear, start);
  requireLayout(filled === page.length - start);
  return { page: clear, overflows };
}

/** Copies the heads of the free blocks. Returns the bytes of the blocks. */
function copyFreeBlocks(page: Buffer, clear: Buffer, start: number): number {
  let bytes = 0;
  let at = page.readUInt16BE(1);
  while (at !== 0) {
    requireLayout(at >= start && at <= page.length - 4);
    page.copy(clear, at, at, at + 4);
    const next = page.readUInt16BE(at);
    bytes += page.readUInt16BE(at + 2);
    requireLayout(next === 0 || next > at);
    at = next;
  }
  return bytes;
}

function cellAt(page: Buffer, at: number): Cell {
  const isTable = page[0] === leaf.table || page[0] === interior.table;
  const content = page[0] === interior.table || page[0] === interior.index ? at + 4 : at;
  if (page[0] === interior.table) return { size: varintAt(page, content).end - at, overflow: null };
  const { value: payload, end } = varintAt(page, content);
  const head = (isTable ? varintAt(page, end).end : end) - at;
  const local = localBytes(payload, page.length, isTable);
  if (local === payload) return { size: Math.max(head + local, smallestCell), overflow: null };
  requireLayout(at + head + local + 4 <= page.length);
  const first = page.readUInt32BE(at + head + local);
  return { size: head + local + 4, overflow: { first, bytes: payload - local } };
}

/** Returns how many bytes of a payload are in the page of its cell. */
function localBytes(payload: number, size: number, isTable: boolean): number {
  const most = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const surplus = least + ((payload - least) % (size - 4));
  return surplus <= most ? surplus : least;
}

function varintAt(page: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let next = at; next < at + 8; next += 1) {
    requireLayout(next < page.length);
    value = value * 128 + (page[next]! & 127);
    if (page[next]! < 128) return { value, end: next + 1 };
  }
  return { value: value * 256 + (page[at + 8] ?? 0), end: at + 9 };
}

function requireLayout(condition: boolean): asserts condition {
  if (!condition) throw new LayoutError('A page of the database is not as SQLite writes it');
}
