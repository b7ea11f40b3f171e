import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { backUp, checkSeal } from './backup.ts';
import { schemaVersion } from '../db/migrations/index.ts';
import { makeBookFile } from '../db/testing/book-file.ts';
import { columnsOf, dump } from '../db/testing/whole-database.ts';

describe('a backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-backup-'));
  const database = join(folder, 'coffer.db');
  let made = 0;
  before(() => makeBookFile(database));
  after(() => rmSync(folder, { recursive: true }));

  const newFile = (): { file: string; place: string } => {
    made += 1;
    const place = mkdtempSync(join(folder, `place-${made}-`));
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
  });

  it('has only what is committed, while another process writes', () => {
    const writer = new Database(database);
    writer.exec("BEGIN IMMEDIATE; UPDATE transactions SET notes = 'half'");
    const { file } = newFile();
    backUp(database, file);
    // The writer was not disturbed.
    writer.exec('ROLLBACK');
    writer.exec(
      "UPDATE transactions SET notes = 'log' WHERE id = (SELECT min(id) FROM transactions)",
    );
    const { file: later } = newFile();
    backUp(database, later);
    writer.close();
    const notes = (path: string): string[] =>
      (dump(path, { transactions: ['notes'] })['transactions'] ?? []).filter((line) =>
        /half|log/.test(line),
      );
    assert.deepEqual([notes(file), notes(later)], [[], ['["log"]']]);
  });

  it('does not contain deleted data', () => {
    const secret = 'a note that was deleted later';
    const writer = new Database(database);
    writer.pragma('secure_delete = OFF');
    writer
      .prepare('INSERT INTO tags (book_id, name, created_at, updated_at) VALUES (1, ?, ?, ?)')
      .run(secret, '', '');
    writer.prepare('DELETE FROM tags WHERE name = ?').run(secret);
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
    copy.exec(
      "UPDATE users SET name = 'Someone'; CREATE TABLE more AS SELECT id, zeroblob(500) FROM transactions",
    );
    assert.equal(copy.pragma('integrity_check', { simple: true }), 'ok');
    copy.close();
    assert.equal(checkSeal(file), 'unsealed');
  });

  it('of a damaged database is refused, and an existing file is unchanged', () => {
    const damaged = join(folder, 'damaged.db');
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
    assert.throws(() => backUp(damaged, file), {
      name: 'UnsoundFileError',
      message: /^is damaged: /,
    });
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
    [
      'is of a newer program',
      'PRAGMA user_version = 999',
      { name: 'NewerDatabaseError', message: /999/ },
    ],
  ];
  for (const [at, [what, statements, error]] of refusals.entries())
    it(`of a database that ${what} is refused, and that is unchanged`, () => {
      const odd = join(folder, `odd-${at}.db`);
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
    assert.throws(() => backUp(join(folder, 'missing.db'), file), refused);
    assert.throws(() => backUp(database, join(place, 'nowhere', 'coffer.bak')), { code: 'ENOENT' });
    assert.deepEqual(readdirSync(place), []);
  });
});
