import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coffer,
  jsonLines,
  makeFolder,
  newBook,
  refuses,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const whose = await newBook();
const run = (...argv: string[]) => runCoffer(['undo', ...argv, ...whose]);
const rename = (from: string, to: string) => coffer('category', 'rename', from, to, ...whose);
const names = async () =>
  jsonLines(await coffer('category', 'list', '--json', ...whose)).map(({ name }) => name);

test('a change is undone by its version, and the last one by --last', async () => {
  const rows = ['Date,Payee,Amount,Currency,Category', '2026-05-01,Shop,-1.50,USD,Food'];
  const file = writeLines(makeFolder(), 'may.csv', ...rows);
  await coffer('import', file, ...whose);
  await rename('Food', 'Meals');
  await rename('Meals', 'Eating');
  const dry = await run('--last', '--dry-run');
  assert.match(
    dry.stderr,
    /^Would undo version 4, category rename by command at \S+Z \(categories changed: 1\)\n$/,
  );
  assert.deepEqual(await names(), ['Eating']);
  await refuses(
    ['undo', '3', ...whose],
    1,
    /^categories \d+: name was changed since\nNothing was undone\. .* "--conflicts skip"\n$/,
  );
  const undone = await run('--last', '--json');
  assert.deepEqual(JSON.parse(undone.stdout), { version: 5, undoes: 4, conflicts: [] });
  assert.deepEqual(await names(), ['Meals']);
  assert.match((await run('--last')).stderr, /^Undone: version 3, /);
  assert.deepEqual(await names(), ['Food']);
  assert.equal((await run('3')).stderr, 'Version 3 was undone by version 6\n');
  // An undo can be undone, by its version.
  await run('6');
  assert.deepEqual(await names(), ['Meals']);
  assert.equal((await run('99')).stderr, 'There is no version with the id: 99.\n');
});

test('what cannot be meant is misuse', async () => {
  for (const argv of [[], ['3', '--last'], ['x'], ['0']])
    assert.equal((await run(...argv)).code, 2);
});
