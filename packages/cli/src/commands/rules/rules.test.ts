import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, jsonLines, makeFolder, refuses, runCoffer } from '../../testing/run-coffer.ts';

const database = ['--database', `sqlite:${join(makeFolder(), 'coffer.db')}`];
await coffer('demo', '--transactions', '100', ...database);
// Only what the tests add: ids begin with 4.
for (const { name } of jsonLines(await coffer('rules', 'list', '--json', ...database)))
  await coffer('rules', 'remove', String(name), ...database);

const run = (...argv: string[]) => runCoffer(['rules', ...argv, ...database]);
const always = ['--name', 'n', '--amount-min', '0'];

test('a rule is added with names, listed in words and as JSON, and removed', async () => {
  const added = await run(
    'add',
    '--name',
    ' Dinner ',
    '--payee-contains',
    'a',
    '--amount-max',
    '90',
    '--debit',
    '--category',
    'salary',
    '--set-category',
    'groceries',
    '--set-payee',
    'Shop',
    '--reviewed',
    '--split',
    '50%=Rent',
    '--split',
    '1.25',
    '--split',
    'rest',
    '--stop',
  );
  const stdout = 'Added the rule "Dinner" (id 4) to the book "Demo Household"\n';
  assert.deepEqual(added, { code: 0, stdout, stderr: '' });
  const [, line] = (await coffer('rules', 'list', ...database)).split('\n');
  assert.equal(
    line,
    ' 4  Dinner  payee contains "a", at most 90.0000, debit, category "Salary"  ' +
      'payee "Shop", category "Groceries", reviewed, split into 3, stop',
  );
  const [rule] = jsonLines<{ actions: { split: object[] }; position: number }>(
    await coffer('rules', 'list', '--json', ...database),
  );
  assert.equal(rule!.position, 1);
  assert.deepEqual(rule!.actions.split.slice(1), [{ amount: '1.2500' }, {}]);
  const removed = await run('remove', 'dinner');
  assert.deepEqual(removed, { code: 0, stdout: '', stderr: 'Removed the rule "Dinner"\n' });
  assert.equal((await run('list')).stderr, 'There are no rules\n');
});

test('rules are put first, and previewed without an effect', async () => {
  for (const name of ['a', 'b', 'c'])
    await run('add', '--name', name, '--amount-min', '0', '--set-notes', name);
  const ordered = await run('order', 'c', 'a');
  assert.match(ordered.stderr, /^The order is now: 7 "c", 5 "a", 6 "b"\n$/);
  const all = await run('preview', '--transactions', '2', '--json');
  const [first] = jsonLines(all.stdout);
  assert.partialDeepStrictEqual(first, { rule_ids: [7, 5, 6], after: { notes: 'b' } });
  const one = await run('preview', 'c', '--transactions', '1');
  assert.match(one.stdout, /^ *ID .*CHANGE\n *\d+ .* notes "c"\n$/);
  const none = await run('preview', '--start', '2999-01-01');
  assert.equal(none.stderr, 'Of 0 transactions, none would be different\n');
  for (const name of ['a', 'b', 'c']) await run('remove', name);
});

test('what is wrong is refused, and nothing is added', async () => {
  for (const [argv, code, message] of [
    [['add', ...always, '--set-category', 'Nothing'], 1, /has no category "Nothing"/],
    [['add', ...always, '--account', 'Nothing', '--reviewed'], 1, /has no account "Nothing"/],
    [['add', ...always], 1, /actions must have at least one action/],
    [
      ['add', ...always, '--amount', 'x', '--exclude'],
      1,
      /equals must be at least 0.*"x"\n.*equals/,
    ],
    [['add', ...always, '--reviewed', '--unreviewed'], 2, /only one of --reviewed, --unreviewed/],
    [['add', ...always, '--debit', '--credit'], 2, /only one of --debit, --credit/],
    [
      ['add', ...always, '--payee-is', 'a', '--payee-contains', 'b'],
      2,
      /one condition for the payee/,
    ],
    [['add', ...always, '--split', '50', '--split', '%'], 2, /--split: "%" is not a part/],
    [['add', ...always, '--split', 'rest', '--split', '1'], 1, /split\/0 must have either/],
    [['add', ...always, '--name', ' '], 2, /--name: " " is not a valid name/],
    [['remove', 'x'], 1, /has no rules/],
    [['preview', '--transactions', '1000001'], 2, /"1000001" is not a number from 1 to 1000000/],
    [['preview', '--end', '2026-02-30'], 2, /--end: "2026-02-30" is not a date/],
  ] as const)
    await refuses(['rules', ...argv, ...database], code, message);
  assert.equal((await run('list')).stderr, 'There are no rules\n');
});
