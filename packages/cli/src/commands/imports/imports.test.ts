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

const folder = makeFolder();
const whose = await newBook();
const run = (...argv: string[]) => runCoffer(['imports', ...argv, ...whose]);
const rows = async () => (await coffer('export', ...whose)).trim().split('\n').slice(1);

const header = 'Date,Payee,Amount,Currency,Category,Account';
const statement = (name: string, ...lines: string[]): string =>
  writeLines(folder, name, header, ...lines);

/** Imports a file of one line. Returns the id of the import. */
async function load(line: string): Promise<string> {
  const file = statement('one.csv', line);
  const [record] = jsonLines(await coffer('import', file, '--json', ...whose));
  return String(record!['import_id']);
}

const may = statement(
  'may.csv',
  '2026-05-01,Shop,-1.50,USD,Food,Cash',
  '2026-05-02,Pay,9,USD,,Cash',
);

test('without imports, the list says so', async () => {
  assert.deepEqual(await run('list'), { code: 0, stdout: '', stderr: 'There are no imports\n' });
  assert.equal((await run('show', '1')).stderr, 'There is no import with the id: 1.\n');
});

test('imports are listed as a table and as JSON, the newest first, and shown', async () => {
  await coffer('import', may, ...whose);
  await coffer('import', may, ...whose);
  const [titles, ...lines] = (await run('list')).stdout.trimEnd().split('\n');
  assert.match(titles!, /^ID {2}CREATED AT +FILE NAME {2}FORMAT {2}STATUS +IMPORTED {2}KNOWN$/);
  assert.match(lines[0]!, /^ 2 {2}2\S+Z {2}may\.csv +csv +imported +0 +2$/);
  assert.match(lines[1]!, /^ 1 {2}2\S+Z {2}may\.csv +csv +imported +2 +0$/);
  const { stdout } = await run('list', '--json', '--limit', '1');
  const parts = { id: 2, version: null, accounts_created: 0 };
  assert.partialDeepStrictEqual(jsonLines(stdout), [parts]);
  const one = await coffer('imports', 'show', '1', '--json', ...whose);
  assert.partialDeepStrictEqual(jsonLines(one), [{ imported: 2, categories_created: 1 }]);
  assert.match(
    (await run('show', '1')).stdout,
    /^id: 1\nversion: 2\nundone version: -\n[^]+sha256: \w{64}\n/,
  );
});

test('an import is undone and restored, and its file can be imported again', async () => {
  const before = await rows();
  const undone = {
    code: 0,
    stdout: '',
    stderr: 'Undone: the import 1 of "may.csv", 2 transactions\n',
  };
  assert.deepEqual(await run('undo', '1'), undone);
  assert.deepEqual(await rows(), []);
  assert.match((await run('list')).stdout, / undone /);
  const restored = { code: 0, stdout: '', stderr: 'Restored: the import 1, 2 transactions\n' };
  assert.deepEqual(await run('redo', '1'), restored);
  assert.deepEqual(await rows(), before);
  assert.deepEqual(await run('undo', '1'), undone);
  assert.match(
    await coffer('import', may, ...whose),
    /: 2 transactions imported\. 1 account and 1 category created/,
  );
  const [first] = await rows();
  assert.equal(first!.split(',').slice(1).join(), before[0]!.split(',').slice(1).join());
});

test('what was changed since is named, and kept if the user says so', async () => {
  const id = await load('2026-06-01,Book,-3,USD,Books,Card');
  await coffer('account', 'rename', 'Card', 'Credit card', ...whose);
  const refused = await run('undo', id);
  assert.equal(refused.code, 1);
  const [account, advice] = refused.stderr.trim().split('\n');
  assert.match(account!, /^manual_accounts \d+: display_name was changed since$/);
  assert.match(advice!, /^Nothing was undone\. To keep .+ add "--conflicts skip"$/);
  const kept = await run('undo', id, '--conflicts', 'skip');
  const undone = `Undone: the import ${id} of "one.csv", except for the records above`;
  assert.deepEqual([kept.code, kept.stderr], [0, `Kept ${account}\n${undone}\n`]);
  assert.equal((await run('redo', id)).code, 0);
});

test('an import cannot be restored without its category', async () => {
  const id = await load('2026-08-01,Tea,-3,USD,Books,Cash');
  assert.equal((await run('undo', id)).code, 0);
  await coffer('category', 'merge', 'Books', 'Food', ...whose);
  const without = /category_id was removed since\nNothing was undone\. Restore the records/;
  await refuses(['imports', 'redo', id, ...whose], 1, without);
});

test('what is wrong is refused', async () => {
  for (const [argv, code, message] of [
    [['undo', '99'], 1, 'There is no import with the id: 99.'],
    [['redo', '2'], 1, 'Import 2 created nothing that could be undone'],
    [['undo', '2'], 1, 'Import 2 created nothing that could be undone'],
    [['undo', '1'], 1, 'Import 1 is undone already'],
    [['redo', '3'], 1, 'Import 3 is not undone'],
    [['undo', '9'.repeat(16)], 1, 'There is no import with the id: '],
    [['show', '0'], 2, 'The id of an import is a number, not "0"'],
    [['list', '--limit', '-1'], 2, '--limit: "-1" is not a number of imports'],
    [['undo', '1', '--conflicts', 'all'], 2, 'Allowed choices are refuse, skip'],
  ] as const)
    await refuses(['imports', ...argv, ...whose], code, new RegExp(message));
});
