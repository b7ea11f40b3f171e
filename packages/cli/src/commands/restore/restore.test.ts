import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeBook, makeFolder, refuses } from '../../testing/run-coffer.ts';

test('a restore of what is no database is refused in a sentence', async () => {
  for (const [bytes, message] of [
    ['Dear diary', /^Cannot restore ".*a\.bak": it is not an SQLite database\n$/],
    ['', /^Cannot restore ".*a\.bak": it is empty\n$/],
  ] as const) {
    const folder = makeFolder();
    const file = join(folder, 'a.bak');
    writeFileSync(file, bytes);
    const to = `sqlite:${join(folder, 'restored.db')}`;
    await refuses(['restore', file, '--database', to], 1, message);
    assert.deepEqual(readdirSync(folder), ['a.bak']);
  }
});

test('a refused restore says what to do', async () => {
  const folder = makeFolder();
  const file = join(folder, 'coffer.bak');
  const [, , ...database] = await makeBook(folder);
  await coffer('backup', file, ...database);
  for (const [argv, message] of [
    [[join(folder, 'typo.bak'), ...database], /^There is no file ".*typo\.bak"\n$/],
    [[folder, ...database], /: it is not a regular file\n$/],
    [
      [file, ...database],
      / already exists\. Keep it under another name with --replace, or choose another --database\n$/,
    ],
    [[file, '--database', 'sqlite::memory:'], /^A database in memory ends with the command/],
  ] as const)
    await refuses(['restore', ...argv], 1, message);
});
