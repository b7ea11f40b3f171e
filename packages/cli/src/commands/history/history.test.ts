import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
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
const run = (...argv: string[]) => runCoffer(['history', ...argv, ...whose]);
const linesOf = async (...argv: string[]) => (await run(...argv)).stdout.trimEnd().split('\n');

test('a book without changes says so', async () => {
  assert.deepEqual(await run(), { code: 0, stdout: '', stderr: 'There are no such changes\n' });
});

test('changes are listed as a table and as JSON, the newest first, by filters', async () => {
  const header = 'Date,Payee,Amount,Currency,Category,Account';
  const lines = ['2026-05-01,Shop,-1.50,USD,Food,Cash', '2026-05-02,Pay,9,USD,,Cash'];
  const file = writeLines(makeFolder(), 'may.csv', header, ...lines);
  await coffer('import', file, ...whose);
  await coffer('imports', 'undo', '1', ...whose);
  await coffer('imports', 'redo', '1', ...whose);
  await coffer('category', 'rename', 'Food', 'Groceries', ...whose);
  const [titles, ...rows] = await linesOf();
  assert.match(titles!, /^VERSION {2}AT +BY +OPERATION +CHANGES$/);
  const created = '+1 manual_accounts, +1 categories, +2 transactions';
  const cells = rows.map((row) => row.trim().split(/ {2,}/));
  assert.deepEqual(
    cells.map(([version, , ...rest]) => [version, ...rest]),
    [
      ['5', 'command', 'category rename', '~1 categories'],
      ['4', 'command', 'imports redo', `${created}; undoes 3`],
      ['3', 'command', 'imports undo', `${created.replaceAll('+', '-')}; undoes 2; undone by 4`],
      ['2', 'command', 'import', `${created}; undone by 3`],
    ],
  );
  const one = await run('--limit', '1', '--json');
  const actor = { kind: 'command', id: null, name: null };
  assert.partialDeepStrictEqual(jsonLines(one.stdout), [{ version: 5, actor }]);
  assert.equal(one.stderr, 'For older changes, add "--before 5"\n');
  const versions = async (...argv: string[]) =>
    jsonLines((await run('--json', ...argv)).stdout).map(({ version }) => version);
  assert.deepEqual(await versions('--before', '4'), [3, 2]);
  assert.deepEqual(await versions('--record', 'transactions', '--operation', 'import'), [2]);
  assert.deepEqual(
    await versions('--record', 'categories', '--id', '1', '--actor', 'command'),
    [5, 4, 3, 2],
  );
  assert.equal((await run('--from', '2030-01-01')).stdout, '');
});

test('a version is shown as a difference, with names of what records refer to', async () => {
  const [head, none, ...lines] = await linesOf('5');
  assert.match(head!, /^version 5 {2}\d{4}-\S+ \S+Z {2}category rename {2}by command$/);
  assert.deepEqual(
    [none, ...lines],
    ['', 'categories 1  Groceries', '- name: Food', '+ name: Groceries'],
  );
  const imported = await linesOf('2');
  assert.equal(imported[1], 'undone by version 3');
  const shop = imported.findIndex((line) =>
    /^transactions \d+ {2}Shop {2}-1\.50 USD {2}\(created\)$/.test(line),
  );
  const end = imported.indexOf('', shop);
  assert.deepEqual(imported.slice(shop + 1, end === -1 ? undefined : end), [
    '+ date: 2026-05-01',
    '+ amount: -1.50',
    '+ currency: usd',
    '+ to_base: -1.50',
    '+ payee: Shop',
    '+ original_name: Shop',
    '+ category_id: Food (1)',
    '+ manual_account_id: Cash (1)',
    '+ status: unreviewed',
    '+ source: csv',
    '+ import_id: 1',
  ]);
  const undone = await run('3', '--limit', '1');
  assert.match(undone.stdout, /\(deleted\)\n- /);
  assert.equal(undone.stderr, '3 records more: add "--limit NUMBER"\n');
  const { records } = JSON.parse((await run('5', '--json')).stdout) as { records: unknown };
  const [before, after] = [{ name: 'Food' }, { name: 'Groceries' }];
  assert.deepEqual(records, [{ record: 'categories', id: 1, kind: 'changed', before, after }]);
});

test('a terminal shows colors, unless NO_COLOR is set', async () => {
  const outputOf = async (environment: Record<string, string>): Promise<string> => {
    const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
    await runCoffer(['history', '5', ...whose], { stdout, environment });
    return String(stdout.read());
  };
  assert.match(
    await outputOf({}),
    /\u001b\[31m- name: Food\u001b\[39m\n\u001b\[32m\+ name: Groceries/,
  );
  assert.doesNotMatch(await outputOf({ NO_COLOR: '1' }), /\u001b/);
});

test('what is wrong is refused', async () => {
  const wrong = [
    [['x'], 2, 'The version is a number, not "x"'],
    [['--id', '5'], 2, '--id needs --record'],
    [['--record', 'secrets'], 2, '--record: "secrets" is none of connections, manual'],
    [['--actor', '\u0000'], 2, '--actor: '],
    [['--from', 'may'], 2, '--from: "may" is no date such as 2026-05-31'],
    [['--limit', '1001'], 2, '--limit: "1001" is no number from 1 to 1000'],
    [['5', '--record', 'tags'], 2, '--record selects changes: leave out the version'],
    [['99'], 1, 'There is no version with the id: 99.'],
  ] as const;
  for (const [argv, code, message] of wrong)
    await refuses(['history', ...argv, ...whose], code, new RegExp(`^${message}`));
});
