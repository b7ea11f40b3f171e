import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';

/** A file is not, or no longer, a whole database of Coffer; the message says what it is, with the file as subject. */
export class UnsoundFileError extends Error {
  override name = 'UnsoundFileError';
}

/** What a database file holds. */
export interface FileContents {
  readonly schemaVersion: number;
  readonly transactions: number;
}

/** Tables that every schema has had. */
const tables = ['users', 'books', 'access_tokens', 'id_sequences', 'transactions'];

const headerBytes = 100;
/** How files begin that are taken for a database at times. */
const kinds: readonly (readonly [start: Buffer, kind: string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'is packed by gzip: unpack it first'],
  [Buffer.from('PK\x03\x04', 'latin1'), 'is a ZIP archive: unpack it first'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is packed by zstd: unpack it first'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'is packed by xz: unpack it first'],
];

/** The beginning of a database file. */
export interface Header {
  /** Whether the file uses a log beside it, as a database in use does and a backup does not. */
  readonly usesLog: boolean;
}

/**
 * Reads what every SQLite file begins with. Throws {@link UnsoundFileError} for any other file, and for one that is
 * shorter than it says (https://sqlite.org/fileformat2.html, 1.3).
 */
export function readHeader(path: string): Header {
  const { size } = statSync(path);
  if (size === 0) throw new UnsoundFileError('is empty');
  const header = readStart(path);
  const kind = kinds.find(([start]) => header.subarray(0, start.length).equals(start));
  if (kind !== undefined) throw new UnsoundFileError(kind[1]);
  if (header.length < headerBytes || header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
    throw new UnsoundFileError('is no SQLite database');
  const usesLog = header.readUInt8(18) === 2 || header.readUInt8(19) === 2;
  const bytes = pageBytes(header) * header.readUInt32BE(28);
  if (!usesLog && size < bytes) {
    throw new UnsoundFileError(`is cut off: it has ${size} of at least ${bytes} bytes`);
  }
  return { usesLog };
}

/** The page size 65,536 does not fit into its two bytes and is written as 1. */
function pageBytes(header: Buffer): number {
  const written = header.readUInt16BE(16);
  return written === 1 ? 65_536 : written;
}

function readStart(path: string): Buffer {
  const start = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}

/** What is in a database by its schema. Throws {@link UnsoundFileError} when it is not one of Coffer's. */
export function readContents(database: Database.Database): FileContents {
  return sound(() => {
    const found = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .pluck()
      .all();
    const schemaVersion = database.pragma('user_version', { simple: true }) as number;
    if (schemaVersion < 1 || tables.some((table) => !found.includes(table))) {
      throw new UnsoundFileError('is an SQLite database, but not one of Coffer');
    }
    const count = database.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
    return { schemaVersion, transactions: count ?? 0 };
  });
}

/**
 * Reads a database that nobody else has from end to end. Throws {@link UnsoundFileError} with the first thing that is
 * wrong.
 */
export function examineFile(path: string): FileContents {
  return sound(() => {
    // On a connection that may only read, integrity_check passes over CHECK constraints (seen with SQLite 3.53.2).
    const database = new Database(path, { fileMustExist: true });
    try {
      const contents = readContents(database);
      const said = database.pragma('integrity_check(1)', { simple: true }) as string;
      if (said !== 'ok') throw new UnsoundFileError(`is damaged: ${said}`);
      const [lost] = database.pragma('foreign_key_check') as { table: string; parent: string }[];
      if (lost === undefined) return contents;
      throw new UnsoundFileError(
        `is damaged: a row of ${lost.table} points to a row of ${lost.parent} that is not there`,
      );
    } finally {
      database.close();
    }
  });
}

/** What the system, or somebody else, does to a file that may well be sound. */
const foreignFaults = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)/;

/** Runs work on a file, and says of whatever the engine finds wrong with it that the file is damaged. */
export function sound<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || foreignFaults.test(error.code)) throw error;
    throw new UnsoundFileError(`is damaged: ${error.message}`);
  }
}
