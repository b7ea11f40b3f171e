import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { asDatabaseError, isUnsound } from '../db/sqlite/connection.ts';

/** A file is not an intact Coffer database. The message continues a sentence about the file: "is damaged". */
export class UnsoundFileError extends Error {
  override name = 'UnsoundFileError';
}

/** The contents of a database file. */
export interface FileContents {
  readonly schemaVersion: number;
  readonly transactions: number;
}

/** Tables that exist in every schema version. */
const tables = ['users', 'books', 'access_tokens', 'id_sequences', 'transactions'];

const headerBytes = 100;
/** The first bytes of files that users confuse with a database. */
const kinds: readonly (readonly [start: Buffer, kind: string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'is compressed with gzip: decompress it first'],
  [Buffer.from('PK\x03\x04', 'latin1'), 'is a ZIP archive: extract it first'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is compressed with zstd: decompress it first'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'is compressed with xz: decompress it first'],
];

/** The header of a database file. */
export interface Header {
  /** Whether the file is in WAL mode. A database that was opened is, a backup is not. */
  readonly usesLog: boolean;
}

/**
 * Reads the header of an SQLite file. Throws {@link UnsoundFileError} for any other file, and for a file that is
 * shorter than its header says (https://sqlite.org/fileformat2.html, 1.3).
 */
export function readHeader(path: string): Header {
  const { size } = statSync(path);
  if (size === 0) throw new UnsoundFileError('is empty');
  const header = readStart(path);
  const kind = kinds.find(([start]) => header.subarray(0, start.length).equals(start));
  if (kind !== undefined) throw new UnsoundFileError(kind[1]);
  if (header.length < headerBytes || header.toString('latin1', 0, 16) !== 'SQLite format 3\0')
    throw new UnsoundFileError('is not an SQLite database');
  const usesLog = header.readUInt8(18) === 2 || header.readUInt8(19) === 2;
  const bytes = pageBytes(header) * header.readUInt32BE(28);
  if (!usesLog && size < bytes) {
    throw new UnsoundFileError(`is truncated: it has ${size} of at least ${bytes} bytes`);
  }
  return { usesLog };
}

/** The page size 65,536 does not fit into two bytes, so it is stored as 1. */
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

/** Reads the schema version and the number of transactions. Throws {@link UnsoundFileError} for another database. */
export function readContents(database: Database.Database): FileContents {
  const found = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all();
  const schemaVersion = database.pragma('user_version', { simple: true }) as number;
  if (schemaVersion < 1 || tables.some((table) => !found.includes(table)))
    throw new UnsoundFileError('is an SQLite database, but not a Coffer database');
  const count = database.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
  return { schemaVersion, transactions: count ?? 0 };
}

/** Checks a database that no other process uses. Throws {@link UnsoundFileError} with the first problem. */
export function examineFile(path: string): FileContents {
  // On a read-only connection integrity_check skips CHECK constraints (seen with SQLite 3.53.2).
  return useFile(path, {}, (database) => {
    const contents = readContents(database);
    const result = database.pragma('integrity_check(1)', { simple: true }) as string;
    if (result !== 'ok') throw new UnsoundFileError(`is damaged: ${result}`);
    const lost = findLostReference(database);
    if (lost !== undefined) throw new UnsoundFileError(`is damaged: ${lost}`);
    return contents;
  });
}

/** Returns a description of the first row that refers to a missing row; undefined if there is none. */
export function findLostReference(database: Database.Database): string | undefined {
  const [lost] = database.pragma('foreign_key_check') as { table: string; parent: string }[];
  return lost && `a row of ${lost.table} refers to a missing row of ${lost.parent}`;
}

/** How long a statement waits for the exclusive access of another process, which is short, in milliseconds. */
const timeoutMs = 30_000;

/**
 * Runs work on an existing database file. Opening the file does not change it. Throws {@link UnsoundFileError} if
 * SQLite finds the file damaged, and a DatabaseError for problems with other processes or the disk.
 */
export function useFile<T>(
  path: string,
  options: { readonly readonly?: boolean },
  work: (database: Database.Database) => T,
): T {
  try {
    const database = new Database(path, { ...options, fileMustExist: true, timeout: timeoutMs });
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isUnsound(error)) throw new UnsoundFileError(`is damaged: ${error.message}`);
    throw asDatabaseError(error);
  }
}
