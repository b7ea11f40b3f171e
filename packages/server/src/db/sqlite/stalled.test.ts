import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it, mock } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { Emit, rows, run } from '../engine.ts';
import type { Step } from '../engine.ts';
import { openSqlite } from './sqlite.ts';
import type { SqliteEngine } from './sqlite.ts';

const root = mkdtempSync(join(tmpdir(), 'coffer-stalled-'));
after(() => rmSync(root, { recursive: true }));

describe('a stream of an SQLite file whose reader stalls', () => {
  let path: string;
  let engine: SqliteEngine;
  beforeEach(async () => {
    path = join(mkdtempSync(join(root, 'folder-')), 'coffer.db');
    engine = openSqlite({ path, busyTimeoutMs: 0 });
    engine.execute('CREATE TABLE numbers (n)');
    await engine.write(() => run(raw('INSERT INTO numbers VALUES (1), (2), (3)')));
    mock.timers.enable({ apis: ['setInterval'] });
  });

  async function* numbers(): AsyncGenerator<number> {
    yield* engine.stream(function* (): Generator<Step | Emit<number>, void, unknown> {
      for (const { n } of yield* rows<{ n: number }>(raw('SELECT n FROM numbers')))
        yield new Emit(n);
    });
  }

  /** Enlarges the log as many writes do. SQLite does not read beyond its last transaction. */
  const growLog = (megabytes: number): void => truncateSync(`${path}-wal`, megabytes * 2 ** 20);

  /** Whether a checkpoint is complete, so that no reader holds it back. */
  const canFoldLog = async (): Promise<boolean> => {
    await engine.write(() => run(raw('INSERT INTO numbers VALUES (4)')));
    const other = new Database(path, { timeout: 0 });
    try {
      const [found] = other.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
      return found.busy === 0;
    } finally {
      other.close();
    }
  };

  const close = async (): Promise<void> => {
    mock.timers.reset();
    await engine.close();
  };

  it('ends when the log has grown, allows a checkpoint, and reports an error to the reader', async () => {
    const reader = numbers();
    await reader.next();
    growLog(257);
    mock.timers.tick(30_000);
    assert.equal(await canFoldLog(), false, 'it has read since it started');
    growLog(257);
    mock.timers.tick(30_000);
    assert.equal(await canFoldLog(), true);
    await assert.rejects(reader.next(), {
      name: 'DatabaseError',
      message:
        'The reader read nothing for 30 s while the log of the database grew past 256 MB, so reading was stopped: ' +
        'start again with a reader that keeps reading',
    });
    await close();
  });

  it('continues while the log is small, and while the reader reads', async () => {
    const reader = numbers();
    await reader.next();
    mock.timers.tick(300_000);
    growLog(257);
    assert.equal((await reader.next()).value, 2);
    mock.timers.tick(30_000);
    assert.equal((await reader.next()).value, 3);
    mock.timers.tick(30_000);
    assert.equal((await reader.next()).done, true);
    mock.timers.tick(300_000);
    assert.equal(await canFoldLog(), true);
    await close();
  });
});
