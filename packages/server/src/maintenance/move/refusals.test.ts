import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { isLong } from '../../../../core/src/testing/length.ts';
import { lockDatabase } from '../../db/sqlite/files.ts';
import { newPostgresUrl, noPostgres } from '../../db/testing/engines.ts';
import { newFolder } from '../../db/testing/folder.ts';
import { makeFullDatabase } from '../../db/testing/full-database.ts';
import { startPostgres } from '../../db/testing/postgres-server.ts';
import { columnsOf, dump, type Dump } from '../../db/testing/whole-database.ts';
import { makeDemoBook } from '../../demo/book/make-demo-book.ts';
import { move } from './move.ts';
import type { MoveEnd } from './ends.ts';

const root = newFolder();
const original = join(root, 'original.db');
const moduleUrl = new URL('./move.ts', import.meta.url).href;
/** More than are read at once. */
const size = 1600;
let path: string;
let folders = 0;

const atFile = (file: string): MoveEnd => ({ engine: 'sqlite', path: file });
const atServer = (url: string): MoveEnd => ({ engine: 'postgres', url });
const beside = (name: string): string => join(path, '..', name);
const besideAt = (name: string): MoveEnd => atFile(beside(name));

before(async () => {
  await makeFullDatabase(original, makeDemoBook({ transactions: size - 100 }));
});
beforeEach(() => {
  const folder = join(root, `${(folders += 1)}`);
  mkdirSync(folder);
  path = join(folder, 'coffer.db');
  copyFileSync(original, path);
});

const whole = (file: string): Dump => dump(file, columnsOf(file));

/** Runs statements on a database, like another program. */
async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const query = client.query<Record<string, unknown>>(text);
  return (await query.finally(() => client.end())).rows;
}

/** Returns every table and sequence, and the last values of the sequences. */
function schemaOf(url: string): Promise<Record<string, unknown>[]> {
  return ask(
    url,
    `SELECT relname, relkind, (SELECT last_value FROM pg_sequences s WHERE s.sequencename = relname) AS last
     FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
}

function tamper(file: string, statements: string): void {
  const foreign = new Database(file);
  foreign.unsafeMode(true);
  foreign.pragma('foreign_keys = OFF');
  foreign.pragma('ignore_check_constraints = ON');
  foreign.exec(statements);
  foreign.close();
}

const lasting = (all: readonly string[]) => all.filter((each) => !each.endsWith('-lock'));

describe('a move that is refused', { skip: noPostgres, timeout: 300_000 }, () => {
  async function refused(from: MoveEnd, to: MoveEnd, message: RegExp, name = 'MoveError') {
    const state = async () => [
      from.engine === 'sqlite' && existsSync(from.path) && readdirSync(join(path, '..')),
      to.engine === 'sqlite' ? existsSync(to.path) && whole(to.path) : await schemaOf(to.url),
    ];
    const before = await state();
    await assert.rejects(move(from, to), (error: Error) => {
      assert.equal(error.name, name, error.stack);
      assert.match(error.message, message);
      return true;
    });
    const [names, target] = await state();
    assert.deepEqual(target, before[1]);
    if (Array.isArray(names))
      assert.deepEqual(lasting(names as string[]), lasting(before[0] as string[]));
  }

  it('reports a target that has rows, exists, or has other tables', async () => {
    const url = await newPostgresUrl('empty');
    await move(atFile(path), atServer(url));
    const hasRows = /^The target already has rows in access_tokens, .*users, .*: create an empty/;
    await refused(atFile(path), atServer(url), hasRows);
    const other = beside('other.db');
    copyFileSync(original, other);
    await refused(atFile(path), atFile(other), /^The target already exists: .* with --to$/);
    const shared = await newPostgresUrl('empty');
    await ask(shared, 'CREATE TABLE diary (entry TEXT)');
    await refused(atFile(path), atServer(shared), /table diary of another program: name an empty/);
    assert.deepEqual(whole(path), whole(original));
  });

  it('does not replace a file that another process creates during the move', async () => {
    const other = beside('other.db');
    const moving = move(atFile(path), atFile(other), {
      onProgress: () => writeFileSync(other, 'Dear diary'),
    });
    await assert.rejects(moving, /^MoveError: The target already exists/);
    assert.equal(readFileSync(other, 'utf8'), 'Dear diary');
  });

  it('accepts a target with empty tables, and leaves them empty when it fails', async () => {
    const url = await newPostgresUrl();
    tamper(path, "UPDATE transactions SET notes = 'a' || char(0) || 'b' WHERE id = 1321");
    const hasNul = /^transactions \(book_id 2, id 1321\) .* its notes has a NUL/;
    await refused(atFile(path), atServer(url), hasNul);
    await move(atFile(original), atServer(url));
  });

  it('reports that source and target are the same', async () => {
    const url = await newPostgresUrl('empty');
    for (const [from, to] of [
      [atFile(path), atFile(path)],
      [atFile(path), atFile(join(path, '../..', `${folders}`, 'coffer.db'))],
      [atServer(url), atServer(url)],
    ] as const)
      await refused(from, to, /are the same database$/);
  });

  it('reports that a server or a command uses the source', async () => {
    const url = await newPostgresUrl('empty');
    for (const occupation of ['server', 'command'] as const) {
      const lock = lockDatabase(path, occupation, 0);
      await refused(atFile(path), atServer(url), /^The database is in use/, 'DatabaseInUseError');
      lock.release();
    }
    await move(atFile(path), atServer(url));
    const client = new Client({ connectionString: url, application_name: 'coffer' });
    await client.connect();
    await refused(atServer(url), besideAt('back.db'), /^The source is in use: stop/);
    await client.end();
    await move(atServer(url), besideAt('back.db'));
  });

  it('blocks writes to the source during the move', async () => {
    const url = await newPostgresUrl('empty');
    await move(atFile(path), atServer(url));
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('SET lock_timeout = 10');
    let looks = 0;
    await move(atServer(url), besideAt('back.db'), {
      onProgress: async () => {
        const change = client.query("UPDATE users SET name = 'changed'");
        await assert.rejects(change, { message: 'canceling statement due to lock timeout' });
        await client.query('SELECT count(*) FROM users');
        looks += 1;
      },
    });
    await client.end();
    assert.ok(looks > 0);
    await move(atFile(path), besideAt('other.db'), {
      onProgress: () => {
        for (const occupation of ['server', 'command'] as const)
          assert.throws(() => lockDatabase(path, occupation, 0), { name: 'DatabaseInUseError' });
      },
    });
  });

  it('is not ended by the timeouts of a server', async () => {
    const url = await newPostgresUrl('empty');
    await move(atFile(path), atServer(url));
    const [, name = ''] = /\/([a-z0-9]+)\?/.exec(url) ?? [];
    await ask(url, `ALTER DATABASE ${name} SET idle_in_transaction_session_timeout = 1000`);
    let isIdle = false;
    const { transactions } = await move(atServer(url), besideAt('back.db'), {
      onProgress: async ({ step }) => {
        if (step === 'copy' || isIdle) return;
        isIdle = true;
        await ask(url, 'SELECT pg_sleep(1.2)');
      },
    });
    assert.equal(transactions, size);
  });

  it('reports an unreachable server, without the password', async () => {
    const nowhere = `postgres://coffer:hush@localhost/x?host=${encodeURIComponent(root)}`;
    for (const [from, to, side] of [
      [atFile(path), atServer(nowhere), 'target'],
      [atServer(nowhere), besideAt('new.db'), 'source'],
    ] as const) {
      const message = new RegExp(`^(?!.*hush)The ${side}: The database cannot be reached`, 's');
      await assert.rejects(move(from, to), { message });
    }
    assert.ok(!readdirSync(join(path, '..')).some((name) => name.includes('new.db.')));
  });

  it('reports a source that is not a Coffer database, or is newer', async () => {
    const url = await newPostgresUrl('empty');
    const text = beside('diary.txt');
    writeFileSync(text, 'Dear diary');
    await refused(atFile(text), atServer(url), /^The source is not an SQLite database$/);
    const foreign = beside('foreign.db');
    tamper(foreign, 'CREATE TABLE x (y)');
    await refused(atFile(foreign), atServer(url), /but not a Coffer database$/);
    await refused(atServer(url), besideAt('a.db'), /is not a Coffer database$/);
    tamper(path, 'PRAGMA user_version = 999');
    await refused(atFile(path), atServer(url), /schema version 999/, 'NewerDatabaseError');
    tamper(path, 'PRAGMA user_version = 10');
    await refused(atFile(path), atServer(url), /schema version 10,/, 'OlderDatabaseError');
  });

  it('detects every kind of damage in the source', async () => {
    const url = await newPostgresUrl('empty');
    const unchecked = /^The target refused the data: .*check/;
    const mood =
      /^tags \(book_id \d+, id \d+\) cannot be moved: its mood is not a column of Coffer$/;
    for (const [statement, message] of [
      ['UPDATE transactions SET amount = 9007199254740993 WHERE id = 77', /id 77\).*amount.*2\^53/],
      ["UPDATE transactions SET date = 'soon' WHERE id = 78", unchecked],
      ['ALTER TABLE tags ADD COLUMN mood TEXT', mood],
      ['DELETE FROM tags', /^The target refused the data: .*foreign key/],
      ["UPDATE access_tokens SET token_hash = x'00' WHERE id = 1", unchecked],
    ] as const) {
      copyFileSync(original, path);
      tamper(path, statement);
      await refused(atFile(path), atServer(url), message);
      if (!statement.startsWith('DELETE')) continue;
      await refused(atFile(path), besideAt('new.db'), /refers to a missing row of tags/);
    }
    copyFileSync(original, path);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(100_000, 7), 0, 100_000, 400_000);
    closeSync(file);
    await assert.rejects(move(atFile(path), atServer(url)), {
      name: 'MoveError',
      message: 'The source: The database file is damaged: restore a backup',
    });
    assert.deepEqual(await schemaOf(url), []);
  });

  for (const [what, body, message] of [
    ['changes one row', "NEW.notes := 'other'; RETURN NEW", /id 1249\) differs in notes, json$/m],
    [
      'drops one row',
      'RETURN NULL',
      /id 1249\) is missing\n  transactions has 1599 rows instead of 1600/,
    ],
  ] as const) {
    it(`rolls everything back if the target ${what}`, async () => {
      const url = await newPostgresUrl();
      await ask(
        url,
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
           BEGIN IF NEW.id = 1249 THEN ${body}; END IF; RETURN NEW; END $$;
         CREATE TRIGGER fail BEFORE INSERT ON transactions FOR EACH ROW EXECUTE FUNCTION fail()`,
      );
      await refused(atFile(path), atServer(url), message);
    });
  }

  it('leaves nothing when it is stopped', async () => {
    const url = await newPostgresUrl('empty');
    for (const to of [atServer(url), besideAt('new.db')]) {
      for (const step of ['copy', 'compare'] as const) {
        const stopping = new AbortController();
        const moving = move(atFile(path), to, {
          signal: stopping.signal,
          onProgress: (progress) => {
            if (progress.step === step) stopping.abort(new Error('enough'));
          },
        });
        await assert.rejects(moving, /^Error: enough$/);
      }
    }
    assert.deepEqual(await schemaOf(url), []);
    assert.equal(lasting(readdirSync(join(path, '..'))).join(), 'coffer.db');
  });

  /** Moves in a separate process, and kills it when that many rows are copied or compared. */
  async function killAt(from: MoveEnd, to: MoveEnd, step: string, rows = ''): Promise<void> {
    const script = `setInterval(() => undefined, 1000);
      const { move } = await import(${JSON.stringify(moduleUrl)});
      await move(${JSON.stringify(from)}, ${JSON.stringify(to)}, {
        onProgress: ({ step, done }) => new Promise((resolve) => {
          if (step === '${step}' && done >= ${rows}) console.log('there');
          else resolve();
        }),
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    child.stdout.once('data', () => child.kill('SIGKILL'));
    assert.deepEqual(await ended, [null, 'SIGKILL']);
  }

  it('leaves only a temporary file when its process is killed at any row', async () => {
    const url = await newPostgresUrl('empty');
    const back = beside('back.db');
    const before = whole(path);
    const moments = ['copy 1500', 'compare 1', 'copy 1', 'copy 3000', 'compare 1500'];
    for (const moment of isLong ? moments : moments.slice(0, 2)) {
      const [step = '', rows] = moment.split(' ');
      await killAt(atFile(path), atServer(url), step, rows);
      assert.deepEqual(await schemaOf(url), []);
      await killAt(atFile(path), atFile(back), step, rows);
      assert.ok(!existsSync(back));
    }
    assert.deepEqual(whole(path), before);
    await move(atFile(path), atServer(url));
    await move(atServer(url), atFile(back));
    const { database_identity: id, leases, ...columns } = columnsOf(back);
    assert.ok(id && leases);
    assert.deepEqual(dump(back, columns), dump(path, columns));
  });

  it('leaves the target empty when its server dies', async (t) => {
    const own = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
    t.after(() => own.stop());
    const url = await own.newDatabase();
    let isKilled = false;
    const moving = move(atFile(path), atServer(url), {
      onProgress: async ({ step, done }) => {
        if (isKilled || step !== 'copy' || done < 1500) return;
        isKilled = true;
        const ended = once(own.process, 'exit');
        own.process.kill('SIGQUIT');
        await ended;
      },
    });
    const message = 'The target: The connection to the database was lost';
    await assert.rejects(moving, { name: 'MoveError', message });
    await own.restart();
    assert.deepEqual(await schemaOf(url), []);
    await move(atFile(path), atServer(url));
  });
});
