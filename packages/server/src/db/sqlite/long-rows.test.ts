import assert from 'node:assert/strict';
import { test } from 'node:test';
import sql from 'sql-template-tag';
import { insertMany, rows } from '../engine.ts';
import { openSqlite } from './sqlite.ts';

test('many long rows are stored as they are, also the values that all of them share', async () => {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0 });
  const names = Array.from({ length: 13 }, (_, at) => `c${at}`);
  engine.execute(`CREATE TABLE long (${names.join(', ')})`);
  const shared = [null, 7, -8, 'usd', "it's", "x' || 'y", '', 'é', '2026-01-31T00:00:00.000Z', 0.5];
  const all = Array.from({ length: 250 }, (_, at) => [at, ...shared, `${at}`, at % 2]);
  for (const some of [all.slice(0, 100), all.slice(100, 199), all.slice(199)])
    await engine.write(() => insertMany('long', names, some));
  const found = await engine.read(() => rows<object>(sql`SELECT * FROM long`));
  assert.deepEqual(
    found.map((row): unknown[] => Object.values(row)),
    all,
  );
  await engine.close();
});
