import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { databaseArgument } from './shell-words.ts';

test('the usual database needs no argument', () => {
  assert.equal(databaseArgument({ engine: 'sqlite', path: './coffer.db' }), '');
});

for (const path of [
  '/srv/coffer.db',
  "/srv/o'neil/my books/a.db",
  '$(echo x)`y`"z"',
  '; rm *',
  '~/x',
]) {
  test(`a shell reads ${path} as one word again`, () => {
    const argument = databaseArgument({ engine: 'sqlite', path });
    const words = execFileSync('sh', ['-c', `printf '%s\\n'${argument}`], { encoding: 'utf8' });
    assert.equal(words, `--database\nsqlite:${path}\n`);
  });
}
