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

const file = writeLines(
  makeFolder(),
  'statement.csv',
  'Date,Payee,Amount,Account',
  '2026-05-01,Shop,-1.00,Checking',
  '2026-05-01,Shop,-1.00,Cash',
);

/** Creates a book with the accounts 1 "Checking" and 2 "Cash". */
async function newAccounts(): Promise<string[]> {
  const whose = await newBook();
  await coffer('import', file, ...whose);
  return whose;
}

const list = async (whose: readonly string[]) =>
  jsonLines(await coffer('account', 'list', '--json', ...whose));

test('accounts are listed as a table and as JSON', async () => {
  const whose = await newAccounts();
  assert.equal(
    await coffer('account', 'list', ...whose),
    'ID  NAME      DISPLAY NAME  TYPE  CURRENCY  BALANCE  STATUS  CLOSED ON\n' +
      ' 1  Checking  -             cash  usd       -1.0000  active  -\n' +
      ' 2  Cash      -             cash  usd       -1.0000  active  -\n',
  );
  const open = { type: 'cash', currency: 'usd', balance: '-1.0000' };
  const status = { status: 'active', closed_on: null };
  const cash = { id: 2, name: 'Cash', display_name: null, ...open, ...status };
  assert.deepEqual((await list(whose))[1], cash);
  const none = await runCoffer(['account', 'list', ...(await newBook())]);
  assert.deepEqual(none, { code: 0, stdout: '', stderr: 'There are no manual accounts\n' });
});

test('an account is renamed by id or name, and imports still find it', async () => {
  const whose = await newAccounts();
  const { code, stderr } = await runCoffer(['account', 'rename', 'cash', ' Wallet ', ...whose]);
  assert.deepEqual([code, stderr], [0, 'Renamed the account "Cash" to "Wallet"\n']);
  const again = await runCoffer(['account', 'rename', '2', 'Purse', ...whose]);
  assert.equal(again.stderr, 'Renamed the account "Wallet" to "Purse"\n');
  const [, purse] = await list(whose);
  assert.deepEqual([purse?.['name'], purse?.['display_name']], ['Cash', 'Purse']);
  await coffer('import', file, ...whose);
  assert.equal((await list(whose)).length, 2);
  assert.match(await coffer('export', ...whose), /,Purse,/);
});

test('an account is archived as of today, and reopened', async () => {
  const whose = await newAccounts();
  const archived = await runCoffer(['account', 'archive', 'Cash', ...whose]);
  assert.deepEqual(archived, { code: 0, stdout: '', stderr: 'Archived the account "Cash"\n' });
  const state = async () => {
    const [, cash] = await list(whose);
    return [cash?.['status'], cash?.['closed_on']];
  };
  assert.deepEqual(await state(), ['closed', '2026-11-20']);
  const reopened = await runCoffer(['account', 'archive', 'Cash', '--reopen', ...whose]);
  assert.equal(reopened.stderr, 'Reopened the account "Cash"\n');
  assert.deepEqual(await state(), ['active', null]);
});

test('an account is merged into another one', async () => {
  const whose = await newAccounts();
  const merge = ['account', 'merge'];
  const before = await list(whose);
  for (const [argv, stderr] of [
    [['Cash', 'cash'], 'Body property into_id must be another account: 2\n'],
    [['Cash', 'Card', '--synced'], 'The book "My book" has no synced accounts\n'],
  ] as const) {
    await refuses([...merge, ...argv, ...whose], 1, stderr);
    assert.deepEqual(await list(whose), before);
  }
  const stderr = 'Merged the account "Cash" into "Checking": 1 transaction. Balance: -2.0000 usd\n';
  const merged = await runCoffer([...merge, 'cash', '1', '--add-balance', ...whose]);
  assert.deepEqual(merged, { code: 0, stdout: '', stderr });
  assert.deepEqual(await list(whose), [{ ...before[0], balance: '-2.0000' }]);
  assert.match(await coffer('export', ...whose), /(,Checking,[^]*){2}/);
});

test('invalid names and unknown accounts are refused', async () => {
  const whose = await newAccounts();
  const before = await list(whose);
  const long = 'x'.repeat(46);
  const unknown =
    'The book "My book" has no manual account "Csh". The manual accounts are: 1 "Checking", 2 "Cash"\n';
  for (const [argv, code, stderr] of [
    [['rename', 'Csh', 'Wallet'], 1, unknown],
    [['archive', 'Csh'], 1, unknown],
    [['rename', 'Cash', 'CHECKING'], 1, "Account with name 'CHECKING' already exists\n"],
    [
      ['rename', 'Cash', long],
      2,
      `The new name: "${long}" is not a valid name. Use 1 to 45 characters on one line\n`,
    ],
  ] as const) {
    await refuses(['account', ...argv, ...whose], code, stderr);
    assert.deepEqual(await list(whose), before);
  }
});

test('an account is proved by the balances of its statements, or the wrong day is named', async () => {
  const whose = await newBook();
  const statement = (closing: string) =>
    writeLines(
      makeFolder(),
      'may.sta',
      ':20:1',
      ':25:10020030/1234567',
      ':28C:1/1',
      ':60F:C260430EUR10,00',
      ':61:2605020502D2,50NMSCNONREF',
      ':86:Shop',
      `:62F:C260531EUR${closing}`,
      '-',
    );
  await coffer('import', statement('7,50'), ...whose);
  const [account] = await list(whose);
  assert.equal(account!['balance'], '7.5000');
  const name = account!['name'] as string;
  const proved = await coffer('account', 'prove', '1', ...whose);
  assert.equal(proved, `The balances of "${name}" are proved until 2026-05-31\n`);
  await coffer('import', statement('7,00'), ...whose);
  const { code, stdout, stderr } = await runCoffer(['account', 'prove', '1', ...whose]);
  assert.deepEqual([code, stdout], [1, '2026-04-30 to 2026-05-31: broken, -0.5000; missing\n']);
  assert.match(stderr, /wrong from 2026-05-31 on, by -0\.5000/);
  assert.equal((await list(whose))[0]!['balance'], '7.0000');
});
