import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { coffer, makeFolder, newBook, runCoffer, writeLines } from '../../testing/run-coffer.ts';

test('a terminal shows colors, unless NO_COLOR is set', async () => {
  const whose = await newBook();
  const lines = ['Date,Payee,Amount,Category', '2026-05-01,Shop,-1.50,Food'];
  await coffer('import', writeLines(makeFolder(), 'may.csv', ...lines), ...whose);
  await coffer('category', 'rename', 'Food', 'Groceries', ...whose);
  const outputOf = async (environment: Record<string, string>): Promise<string> => {
    const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
    await runCoffer(['history', '3', ...whose], { stdout, environment });
    return String(stdout.read());
  };
  assert.match(
    await outputOf({}),
    /\u001b\[31m- name: Food\u001b\[39m\n\u001b\[32m\+ name: Groceries/,
  );
  assert.doesNotMatch(await outputOf({ NO_COLOR: '1' }), /\u001b/);
});
