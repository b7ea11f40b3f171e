import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, jsonLines, makeFolder, refuses, runCoffer } from '../../testing/run-coffer.ts';

const database = ['--database', `sqlite:${join(makeFolder(), 'coffer.db')}`];
await coffer('demo', '--transactions', '100', ...database);

const run = (...argv: string[]) => runCoffer(['category', ...argv, ...database]);
const list = () => coffer('category', 'list', ...database);

test('categories are listed with their groups, as a table and as JSON', async () => {
  const [titles, first, second] = (await list()).split('\n');
  assert.match(titles ?? '', /^ID {2}NAME +IS GROUP {2}GROUP ID {2}ARCHIVED AT$/);
  assert.match(first ?? '', /^ 1 {2}Income +yes +- {2}-$/);
  assert.match(second ?? '', /^ 2 {2}Salary +no +1 {2}-$/);
  const [, member = {}] = jsonLines(await coffer('category', 'list', '--json', ...database));
  assert.deepEqual([member['name'], member['group_id'], member['is_income']], ['Salary', 1, true]);
  assert.ok(!('children' in member) && !('book_id' in member));
});

test('a category and a group are renamed by id or name', async () => {
  assert.deepEqual(await run('rename', 'salary', ' Wages '), {
    code: 0,
    stdout: '',
    stderr: 'Renamed the category "Salary" to "Wages"\n',
  });
  assert.equal((await run('rename', '1', 'Earnings')).code, 0);
  const [, first, second] = (await list()).split('\n');
  assert.match(`${first}\n${second}`, /^ 1 {2}Earnings .*\n 2 {2}Wages /);
});

test('invalid names and unknown categories are refused', async () => {
  const before = await list();
  for (const [argv, code, message] of [
    [
      ['rename', 'Rennt', 'Flat'],
      1,
      /^The book "Demo Household" has no category "Rennt"\. The categories are: 1 "Earnings", .* and \d+ more\n$/,
    ],
    [['rename', 'Rent', 'bonus'], 1, /^Category with name 'bonus' already exists\n$/],
    [['rename', 'Rent', ''], 2, /^The new name: "" is not a valid name. Use 1 to 100 characters/],
    [['rename', 'Rent', 'x'.repeat(101)], 2, /^The new name: "x+" is not a valid name/],
  ] as const) {
    await refuses(['category', ...argv, ...database], code, message);
    assert.equal(await list(), before);
  }
});

test('a category is merged into another one, and a group into a group', async () => {
  const merged = await run('merge', 'bonus', 'Wages');
  assert.deepEqual([merged.code, merged.stdout], [0, '']);
  assert.match(merged.stderr, /^Merged the category "Bonus" into "Wages"(: \d+ transactions?)?\n$/);
  const groups = await run('merge', 'Earnings', 'Home');
  assert.match(groups.stderr, /^Merged the category "Earnings" into "Home": \d+ members\n$/);
  const after = await list();
  assert.doesNotMatch(after, /Bonus|Earnings/);
  for (const [argv, message] of [
    [['Wages', 'Home'], /^Body property into_id must not be a category group: \d+\n$/],
    [['Wages', 'X'], /^The book "Demo Household" has no category "X"\./],
  ] as const) {
    await refuses(['category', 'merge', ...argv, ...database], 1, message);
    assert.equal(await list(), after);
  }
});
