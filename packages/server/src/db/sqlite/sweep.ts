import { closeSync, fstatSync, fsync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { raw } from 'sql-template-tag';
import { DatabaseError } from '../errors.ts';
import type { SqliteConnection } from './connection.ts';
import { clearTreePage, isTreePage, requireLayout } from './slack.ts';
import type { Overflow } from './slack.ts';

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

  /** The pages whose turn it is. */
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

  /** Keeps the first bytes of a page. */
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
