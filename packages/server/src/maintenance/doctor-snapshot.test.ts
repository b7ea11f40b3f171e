import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import Database from 'better-sqlite3';
import type { Engine, Steps } from '../db/engine.ts';
import { newFolder } from '../db/testing/folder.ts';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { checkDatabase } from './doctor.ts';
import { openSqliteDatabase } from './open-sqlite.ts';

it('the doctor reads one state of a file while another process writes, and only a repair keeps it out', async () => {
  const path = join(newFolder(), 'coffer.db');
  const engine = openSqliteDatabase(path, {
    occupation: 'command',
    busyTimeoutMs: 1000,
    openTimeoutMs: 1000,
  });
  await fillDemo(engine, (await newBook(engine)).id, makeDemoBook({ transactions: 100 }));
  const other = new Database(path, { timeout: 0 });
  let writes = 0;
  const between = <T>(steps: () => Steps<T>): (() => Steps<T>) =>
    function* () {
      const all = steps();
      let next = all.next();
      while (next.done !== true) {
        const isStatement = !('get' in next.value);
        next = all.next(yield next.value);
        // The first statement begins the snapshot.
        if (!isStatement) continue;
        other.exec('UPDATE transaction_counts SET listed = listed + 1');
        writes += 1;
      }
      return next.value;
    };
  const interrupted: Engine = Object.assign(Object.create(engine) as Engine, {
    read: (steps: () => Steps<unknown>) => engine.read(between(steps)),
    write: (steps: () => Steps<unknown>, options: object) => engine.write(between(steps), options),
  });
  assert.deepEqual(await checkDatabase(interrupted, { repair: false }), []);
  assert.ok(writes > 50);
  await assert.rejects(checkDatabase(interrupted, { repair: true }), { kind: 'busy' });
  assert.notDeepEqual(await checkDatabase(engine, { repair: false }), []);
  other.close();
  await engine.close();
});

it('a repair that has nothing to do needs no lock', async () => {
  const path = join(newFolder(), 'coffer.db');
  const limits = { busyTimeoutMs: 0, openTimeoutMs: 1000 };
  const engine = openSqliteDatabase(path, { occupation: 'command', ...limits });
  await fillDemo(engine, (await newBook(engine)).id, makeDemoBook({ transactions: 100 }));
  const other = new Database(path, { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
  assert.deepEqual(await checkDatabase(engine, { repair: true }), []);
  other.exec('UPDATE transaction_counts SET listed = listed + 1; COMMIT; BEGIN IMMEDIATE');
  await assert.rejects(checkDatabase(engine, { repair: true }), { kind: 'busy' });
  other.exec('COMMIT');
  assert.notDeepEqual(await checkDatabase(engine, { repair: true }), []);
  assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
  other.close();
  await engine.close();
});
