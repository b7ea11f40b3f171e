import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { chooseEngine } from '../../service/engine.ts';
import { missing, startPostgresEngine } from '../../service/postgres-engine.ts';

// A zone with half an hour and summer time; the other tests run fourteen hours ahead of UTC.
process.env['TZ'] = 'America/St_Johns';

const folder = new URL('..', import.meta.url);
const files = globSync('{*,[!e]*/*}.test.ts', { cwd: folder }).toSorted();
/** It reads the names of the tests, and needs no service. */
const withoutService = ['coverage.test.ts'];

// The first import of a file registers its tests, so this file must be alone in its process.
test('test/spec on PostgreSQL, its limit shared over Redis', { skip: missing }, async (t) => {
  const engine = await startPostgresEngine();
  t.after(() => engine.stop());
  chooseEngine(engine);
  assert.ok(files.length > 15, 'The files were not found');
  for (const file of files) {
    const before = engine.databases();
    await t.test(file, async () => {
      await import(new URL(file, folder).href);
    });
    const isOnIt = engine.databases() > before;
    assert.equal(isOnIt, !withoutService.includes(file), `${file} began a service on PostgreSQL`);
  }
});
