import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coffer, newBook, refuses, runCoffer, typing } from '../../testing/run-coffer.ts';

test('a removal asks only at a terminal, of which it leaves nothing open', async () => {
  const remove = ['user', 'remove', ...(await newBook())];
  const terminal = typing('me@example.com\n');
  const hint = /^Nothing was removed\. Add --yes to remove the user "me@example\.com" with 1 book/;
  for (const overrides of [{ stdin: terminal.stdin }, { isTerminal: true }])
    await refuses(remove, 2, hint, overrides);
  assert.match(await coffer('user', 'list', ...remove.slice(4)), /me@example/);
  assert.equal((await runCoffer(remove, terminal)).code, 0);
  assert.ok(terminal.stdin.destroyed, 'else the open terminal keeps the process alive');
});
