import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { integerFrom, type Random } from './random.ts';

/** A file that must not be restored, and what has to be said of it. */
export interface DamagedBackup {
  readonly what: string;
  readonly message: RegExp;
  /** Writes the file, from the bytes of a sound backup. */
  readonly write: (path: string, sound: Buffer) => void;
}

const headerBytes = 100;
/** Behind the pages: a word that a checksum follows, and the checksum. */
const trailerBytes = 48;
const unsound =
  /: it is (damaged: |cut off: |no SQLite database|packed |empty|an SQLite database, but not one of Coffer)/;

/** Every kind of damage once, and then bits of the pages until there are `count`. */
export function damagedBackups(count: number, random: Random): DamagedBackup[] {
  const flips = Array.from({ length: Math.max(0, count - kinds.length) }, () => ({
    what: 'a bit of a page is another one',
    message: unsound,
    write: flipped(random, headerBytes),
  }));
  const inHeader = { what: 'a bit of the header', message: unsound, write: flipped(random, 0, 16) };
  return [...kinds, inHeader, ...flips].slice(0, count);
}

const kinds: readonly DamagedBackup[] = [
  {
    what: 'a row was changed by hand',
    message: /: it is damaged: its checksum does not fit/,
    write: (path, sound) =>
      altered(path, sound, (database) => {
        database.exec(
          'UPDATE transactions SET amount = amount + 1 WHERE id = (SELECT max(id) FROM transactions)',
        );
      }),
  },
  damaged('a page was overwritten', (sound) => {
    const bytes = Buffer.from(sound);
    return bytes.fill(0xa5, bytes.length >> 1, (bytes.length >> 1) + 4096);
  }),
  damaged('the end is missing', (sound) => sound.subarray(0, Math.floor(sound.length * 0.7))),
  {
    what: 'it is of a newer program',
    message: /schema version 999, but this program knows \d+ at most: run the newer program/,
    write: (path, sound) =>
      altered(path, sound, (database) => {
        // As a database that was in use; a backup that was changed is told by its checksum.
        database.pragma('journal_mode = WAL');
        database.pragma('user_version = 999');
      }),
  },
  {
    what: 'it is the database of another program',
    message: /: it is an SQLite database, but not one of Coffer/,
    write: (path, sound) =>
      altered(path, sound.subarray(0, 0), (database) => {
        database.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 3');
      }),
  },
  damaged('it is empty', () => Buffer.alloc(0)),
  damaged('it is packed', (sound) => gzipSync(sound, { level: 1 })),
  damaged('it is a text', () =>
    Buffer.from('-- Coffer\nINSERT INTO users VALUES (1);\n'.repeat(99)),
  ),
];

function damaged(what: string, damage: (sound: Buffer) => Buffer): DamagedBackup {
  return { what, message: unsound, write: (path, sound) => writeFileSync(path, damage(sound)) };
}

/** Turns a bit between two places; without the second, somewhere in the pages behind the first. */
function flipped(random: Random, from: number, to?: number): DamagedBackup['write'] {
  return (path, sound) => {
    const bytes = Buffer.from(sound);
    const at = integerFrom(random, from, (to ?? bytes.length - trailerBytes) - 1);
    bytes[at] = bytes[at]! ^ (1 << integerFrom(random, 0, 7));
    writeFileSync(path, bytes);
  };
}

function altered(path: string, sound: Buffer, change: (database: Database.Database) => void): void {
  writeFileSync(path, sound);
  const database = new Database(path);
  change(database);
  database.close();
}

/** A look that tells whether a file is byte by byte what it was. */
export function isSame(path: string, bytes: Buffer): boolean {
  return readFileSync(path).equals(bytes);
}
