import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { backUp } from './backup.ts';
import { lockDatabase } from '../db/sqlite/database-lock.ts';
import { restore } from './restore.ts';
import { makeBookFile } from '../db/testing/book-file.ts';
import { oldSchemas, unpackOldSchema } from '../db/testing/old-schemas.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';
import { runs } from '../../../core/src/testing/length.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const aside = 'coffer.db.replaced-20261120T120000Z';
const root = mkdtempSync(join(tmpdir(), 'coffer-restore-'));
const source = join(root, 'source.db');
const backup = join(root, 'source.bak');
const backupBytes = (): Buffer => readFileSync(backup);
let folder: string;
let target: string;

before(async () => {
  await makeBookFile(source);
  backUp(source, backup);
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
  target = join(folder, 'coffer.db');
});
after(() => rmSync(root, { recursive: true }));

const restoreTo = (file: string, replace = false) => restore(file, target, { replace, now });
/** Returns every row of every table, without the id, which is different in each restored database. */
const whole = (path: string) => {
  const columns = Object.entries(columnsOf(path));
  return dump(path, Object.fromEntries(columns.filter(([name]) => name !== 'database_identity')));
};
const identityOf = (path: string): string =>
  dump(path, { database_identity: ['name', 'value'] })['database_identity']?.find((row) =>
    row.startsWith('["id"'),
  ) ?? '';
const files = (): string[] => readdirSync(folder).filter((name) => name !== 'coffer.db-lock');

function makeOther(): Database.Database {
  const other = new Database(target);
  other.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE old (x); INSERT INTO old VALUES ('in the log')",
  );
  return other;
}

describe('a restore', () => {
  it('restores every row of every table, readable by the owner only', () => {
    const summary = restoreTo(backup);
    assert.deepEqual(whole(target), whole(source));
    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.deepEqual(
      [summary.transactions, summary.hasChecksum, summary.setAside],
      [300, true, null],
    );
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('gives the database a new id each time', () => {
    const found = [identityOf(source), identityOf(backup)];
    for (const replace of [false, true]) {
      restoreTo(backup, replace);
      found.push(identityOf(target));
    }
    assert.equal(found[1], found[0], 'a backup keeps the id');
    assert.equal(new Set(found).size, 3);
    for (const each of found) assert.match(each, /^\["id","[0-9a-f]{32}"\]$/);
  });

  it('accepts a backup of an older schema, which gets its id when it is opened', () => {
    const old = join(folder, 'old.db');
    unpackOldSchema(oldSchemas.at(-1)!, old);
    restoreTo(old);
    assert.deepEqual(dump(target, columnsOf(target)), dump(old, columnsOf(old)));
  });

  it('does not replace a database by default', () => {
    makeOther().close();
    const bytes = readFileSync(target);
    assert.throws(() => restoreTo(backup), { name: 'DatabaseExistsError' });
    assert.ok(readFileSync(target).equals(bytes));
    assert.deepEqual(files(), ['coffer.db']);
  });

  it('keeps the replaced database, including its log', () => {
    const other = makeOther();
    // As after a killed process: the row is only in the log.
    const [bytes, log] = [readFileSync(target), readFileSync(`${target}-wal`)];
    other.close();
    writeFileSync(target, bytes);
    writeFileSync(`${target}-wal`, log);
    const { setAside } = restoreTo(backup, true);
    assert.deepEqual(files(), ['coffer.db', aside]);
    assert.ok(setAside?.endsWith(aside));
    assert.deepEqual(dump(join(folder, aside), { old: ['x'] }), { old: ['["in the log"]'] });
    assert.deepEqual(whole(target), whole(source));
  });

  it('keeps a damaged database unchanged, including its log', () => {
    writeFileSync(target, 'SQLite format 3\0 and then random text'.repeat(50));
    writeFileSync(`${target}-wal`, 'a log');
    restoreTo(backup, true);
    assert.deepEqual(files(), ['coffer.db', aside, `${aside}-wal`]);
    assert.equal(readFileSync(join(folder, `${aside}-wal`), 'utf8'), 'a log');
    assert.deepEqual(whole(target), whole(source));
  });

  it('does not use the log of a database that is missing', () => {
    const other = makeOther();
    const log = readFileSync(`${target}-wal`);
    other.close();
    rmSync(target);
    writeFileSync(`${target}-wal`, log);
    restoreTo(backup);
    assert.deepEqual(files(), ['coffer.db', `${aside}-wal`]);
    assert.deepEqual(whole(target), whole(source));
  });

  it('is refused while another program has the database open, which can continue', () => {
    makeOther().close();
    const lock = lockDatabase(target, 'command', 0);
    assert.throws(() => restoreTo(backup, true), { name: 'DatabaseInUseError' });
    lock.release();
    // This program does not use the lock file, and is idle.
    const foreign = new Database(target);
    assert.equal(foreign.prepare('SELECT count(*) FROM old').pluck().get(), 1);
    assert.throws(() => restoreTo(backup, true), { name: 'DatabaseInUseError' });
    foreign.exec("INSERT INTO old VALUES ('more')");
    // Outside WAL mode, while it reads.
    foreign.pragma('journal_mode = DELETE');
    foreign.exec('BEGIN; SELECT count(*) FROM old');
    assert.throws(() => restoreTo(backup, true), { name: 'DatabaseInUseError' });
    foreign.exec('COMMIT');
    foreign.close();
    assert.deepEqual(files(), ['coffer.db']);
    restoreTo(backup, true);
    restoreTo(backup, true);
    assert.deepEqual(files(), ['coffer.db', aside, `${aside}-2`], 'twice in a second');
  });

  it('cleans up after a restore that was killed while the old database had two names', () => {
    makeOther().close();
    linkSync(target, join(folder, 'coffer.db.replaced-20260101T000000Z'));
    restoreTo(backup, true);
    assert.deepEqual(files(), ['coffer.db', aside]);
    assert.equal(statSync(join(folder, aside)).nlink, 1);
  });

  it('accepts a copy of a database that was not in use, and reports that it has no checksum', () => {
    const copy = join(folder, 'copy.db');
    copyFileSync(source, copy);
    assert.equal(restoreTo(copy).hasChecksum, false);
    assert.deepEqual(whole(target), whole(source));
    assert.deepEqual(files(), ['coffer.db', 'copy.db']);
  });

  it('refuses a folder as the target, which is kept, and the backup itself', () => {
    assert.throws(() => restore(source, source, { replace: true, now }), {
      message: 'is that database itself',
    });
    mkdirSync(target);
    const refused = { name: 'DatabaseError', kind: 'unavailable' };
    assert.throws(() => restoreTo(backup, true), refused);
    assert.deepEqual(files(), ['coffer.db']);
  });
});

describe('a damaged backup', () => {
  const broken = (bytes: Uint8Array): string => {
    const file = join(folder, 'broken.bak');
    writeFileSync(file, bytes);
    return file;
  };
  it('is refused after any bit flip, and if it is truncated anywhere', () => {
    const bytes = backupBytes();
    // Not in the mark after the pages: without it the file counts as one without a checksum.
    const anywhere = fc.integer({ min: 0, max: bytes.length - 49 });
    fc.assert(
      fc.property(anywhere, fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const flipped = Buffer.from(bytes);
        flipped[at] = bytes[at]! ^ (1 << bit);
        // Not in the journal mode of the header: in WAL mode the checksum is not used, and the pages are intact.
        fc.pre(at !== 18 && at !== 19);
        assert.throws(() => restoreTo(broken(flipped)), { name: 'UnsoundFileError' });
        assert.throws(() => restoreTo(broken(bytes.subarray(0, at))), { name: 'UnsoundFileError' });
        assert.ok(!existsSync(target));
      }),
      { numRuns: runs(60) },
    );
  });

  it('without a checksum is refused if its pages are inconsistent', () => {
    const bytes = readFileSync(source);
    bytes.fill(0xff, 200_000, 240_000);
    assert.throws(() => restoreTo(broken(bytes)), { message: /^is damaged: / });
    assert.deepEqual(files(), ['broken.bak']);
  });
});
