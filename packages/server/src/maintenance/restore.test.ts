import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { lockDatabase } from '../db/sqlite/files.ts';
import { migrate } from '../db/sqlite/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { schemaVersion } from '../db/tables/migrations.ts';
import { makeBaseFile } from '../db/testing/base-schema.ts';
import { newFolder } from '../db/testing/folder.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { fillDemo } from '../demo/fill.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { backUp, checkSeal } from './backup.ts';
import { restore } from './restore.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const aside = 'coffer.db.replaced-20261120T120000Z';
const root = newFolder();
const source = join(root, 'source.db');
const backup = join(root, 'source.bak');
const backupBytes = (): Buffer => readFileSync(backup);
let folder: string;
let target: string;

before(async () => {
  const engine = openSqlite({ path: source, busyTimeoutMs: 0 });
  migrate(engine);
  const { id } = await newBook(engine);
  await fillDemo(engine, id, makeDemoBook({ transactions: 300 }));
  await engine.close();
  backUp(source, backup);
});
beforeEach(() => {
  folder = newFolder();
  target = join(folder, 'coffer.db');
});

const restoreTo = (file: string, replace = false) => restore(file, target, { replace, now });
/** Returns every row of every table, without the id, which is different in each restored database. */
const whole = (path: string) => {
  const columns = Object.entries(columnsOf(path));
  return dump(path, Object.fromEntries(columns.filter(([name]) => name !== 'database_identity')));
};
const identityOf = (path: string): string => {
  const { database_identity: rows = [] } = dump(path, { database_identity: ['name', 'value'] });
  return rows.find((row) => row.startsWith('["id"')) ?? '';
};
const files = (): string[] => readdirSync(folder).filter((name) => name !== 'coffer.db-lock');

function makeOther(): Database.Database {
  const other = new Database(target);
  other.pragma('journal_mode = WAL');
  other.exec("CREATE TABLE old (x); INSERT INTO old VALUES ('in the log')");
  return other;
}

describe('a restore', () => {
  it('restores every row of every table, readable by the owner only', () => {
    const { transactions, hasChecksum, setAside } = restoreTo(backup);
    assert.deepEqual(whole(target), whole(source));
    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.deepEqual([transactions, hasChecksum, setAside], [300, true, null]);
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

  it('accepts a backup of the first release, and refuses an older one', () => {
    const old = join(folder, 'old.db');
    makeBaseFile(old);
    restoreTo(old);
    assert.deepEqual(whole(target), whole(old));
    const older = new Database(old);
    older.pragma('user_version = 10');
    older.close();
    assert.throws(() => restoreTo(old, true), { name: 'OlderDatabaseError' });
    assert.deepEqual(files(), ['coffer.db', 'old.db']);
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

describe('a backup', () => {
  const database = join(root, 'coffer.db');
  before(() => copyFileSync(source, database));

  const newFile = (): { file: string; place: string } => {
    const place = newFolder();
    return { file: join(place, 'coffer.bak'), place };
  };

  it('has every row of every table and a checksum, and is the only new file, for its owner', () => {
    const { file, place } = newFile();
    const summary = backUp(database, file);
    assert.deepEqual(dump(file, columnsOf(file)), dump(database, columnsOf(database)));
    const { size, mode } = statSync(file);
    assert.deepEqual(summary, { schemaVersion, transactions: 300, bytes: size });
    assert.equal(mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(place), ['coffer.bak']);
    assert.equal(checkSeal(file), 'intact');
    // As docs/operate says: the end is the SHA-256 of all that is before a mark.
    const bytes = readFileSync(file);
    const content = bytes.subarray(0, bytes.lastIndexOf('Coffer backup 1\n'));
    const hash = createHash('sha256').update(content).digest();
    assert.deepEqual(bytes.subarray(content.length + 16), hash);
  });

  it('has only what is committed, while another process writes', () => {
    const writer = new Database(database);
    writer.exec("BEGIN IMMEDIATE; UPDATE transactions SET notes = 'half'");
    const { file } = newFile();
    backUp(database, file);
    // The writer was not disturbed.
    writer.exec('ROLLBACK');
    writer.exec("UPDATE transactions SET notes = 'log' WHERE id = 5");
    const { file: later } = newFile();
    backUp(database, later);
    writer.close();
    const notes = (path: string): string[] | undefined =>
      dump(path, { transactions: ['notes'] })['transactions']?.filter((line) =>
        /"(half|log)"/.test(line),
      );
    assert.deepEqual([notes(file), notes(later)], [[], ['["log"]']]);
  });

  it('does not contain deleted data', () => {
    const secret = 'a note that was deleted later';
    const writer = new Database(database);
    writer.pragma('secure_delete = OFF');
    writer.exec(`INSERT INTO tags (book_id, name, created_at, updated_at) VALUES (1, '${secret}', '', '');
      DELETE FROM tags WHERE name = '${secret}'`);
    writer.close();
    assert.ok(readFileSync(database).includes(secret), 'the page still has it');
    const { file } = newFile();
    backUp(database, file);
    assert.ok(!readFileSync(file).includes(secret));
  });

  it('is a database that can be opened directly', () => {
    const { file } = newFile();
    backUp(database, file);
    const copy = new Database(file);
    copy.pragma('journal_mode = WAL');
    copy.exec('CREATE TABLE more AS SELECT id, zeroblob(500) FROM transactions');
    assert.equal(copy.pragma('integrity_check', { simple: true }), 'ok');
    copy.close();
    assert.equal(checkSeal(file), 'unsealed');
  });

  it('of a damaged database is refused, and an existing file is unchanged', () => {
    const damaged = join(root, 'damaged.db');
    const bytes = readFileSync(database);
    const source = new Database(database, { readonly: true });
    const page = source.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'transactions'`);
    const { rootpage } = page.get() as { rootpage: number };
    const pageBytes = source.pragma('page_size', { simple: true }) as number;
    source.close();
    bytes.fill(0xff, (rootpage - 1) * pageBytes, rootpage * pageBytes);
    writeFileSync(damaged, bytes);
    const { file, place } = newFile();
    writeFileSync(file, 'the last good one');
    const refused = { name: 'UnsoundFileError', message: /^is damaged: / };
    assert.throws(() => backUp(damaged, file), refused);
    assert.deepEqual(readdirSync(place), ['coffer.bak']);
    assert.equal(readFileSync(file, 'utf8'), 'the last good one');
  });

  const refusals: readonly (readonly [what: string, statements: string, error: object])[] = [
    [
      'has rows that refer to missing rows',
      'PRAGMA foreign_keys = OFF; UPDATE transactions SET category_id = 999999 WHERE id = 5',
      { message: 'is damaged: a row of transactions refers to a missing row of categories' },
    ],
    [
      'has a row that breaks a CHECK',
      "PRAGMA ignore_check_constraints = ON; UPDATE transactions SET status = 'odd' WHERE id = 5",
      { message: 'is damaged: CHECK constraint failed in transactions' },
    ],
    [
      'is of another program',
      'PRAGMA foreign_keys = OFF; DROP TABLE access_tokens',
      { message: 'is an SQLite database, but not a Coffer database' },
    ],
    ['is of a newer program', 'PRAGMA user_version = 999', { name: 'NewerDatabaseError' }],
  ];
  for (const [at, [what, statements, error]] of refusals.entries())
    it(`of a database that ${what} is refused, and that is unchanged`, () => {
      const odd = join(root, `odd-${at}.db`);
      backUp(database, odd);
      const foreign = new Database(odd);
      foreign.exec(statements);
      foreign.close();
      const bytes = readFileSync(odd);
      const { file, place } = newFile();
      assert.throws(() => backUp(odd, file), error);
      assert.ok(readFileSync(odd).equals(bytes));
      assert.deepEqual(readdirSync(place), []);
    });

  it('of a missing database, or in a missing folder, throws an error and leaves no file', () => {
    const { file, place } = newFile();
    const refused = { name: 'DatabaseError', kind: 'unavailable' };
    assert.throws(() => backUp(join(root, 'missing.db'), file), refused);
    assert.throws(() => backUp(database, join(place, 'nowhere', 'coffer.bak')), { code: 'ENOENT' });
    assert.deepEqual(readdirSync(place), []);
  });
});
