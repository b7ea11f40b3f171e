import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  makeFolder,
  newBook,
  refuses,
  rowsOf,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();

test('problems after the first hundred are counted', async () => {
  const lines = Array.from({ length: 150 }, (_, index) => `2024-01-01,Shop,wrong${index}`);
  const good = '2024-01-01,Shop,1.00';
  const wrong = writeLines(folder, 'many.csv', 'Date,Payee,Amount', good, ...lines);
  const counted = /many\.csv:102: [^\n]+\nand 50 more\n".*many\.csv" was not imported\n$/;
  await refuses(['import', wrong, ...(await newBook())], 1, counted);
});

test('options describe a format that cannot be detected', async () => {
  const whose = await newBook();
  const file = join(folder, 'polish.csv');
  // "Łódź" in windows-1250.
  const payee = Buffer.from([0xa3, 0xf3, 0x64, 0x9f]);
  writeFileSync(
    file,
    Buffer.concat([Buffer.from('when;who;much\n03/04/2024;'), payee, Buffer.from(';1.234,5\n')]),
  );
  const options = ['--map', 'date=when,payee=who,amount=much', '--date-format', 'd/m/y'];
  const more = ['--decimal', 'comma', '--encoding', 'cp1250', '--negate'];
  await coffer('import', file, ...options, ...more, ...whose);
  assert.deepEqual(await rowsOf(whose), ['2024-04-03,-1234.5000,usd,Łódź,,,,,unreviewed,']);
});

test('rows without an account are counted before the import, or after it at the end of a long file', async () => {
  const book = ['--dry-run', ...(await newBook())];
  const head = 'Date,Payee,Amount,Account';
  const rows = Array.from({ length: 20_001 }, () => '2026-06-01,Shop,-1.00,Cash');
  const without = '2026-06-01,Shop,-1.00,';
  for (const lines of [
    [without, ...rows],
    [...rows, without],
  ]) {
    const file = writeLines(folder, 'long.csv', head, ...lines);
    const { stderr } = await runCoffer(['import', file, ...book]);
    assert.match(stderr, /1 row of "[^"]+" has no account\. Use --account '=NAME'/);
  }
});

test('an opening balance is that of the one new account whose balance the file does not state', async () => {
  const whose = await newBook();
  const flag = ['--opening-balance', '-20.50'];
  const table = (name: string, ...rows: readonly string[]) =>
    writeLines(folder, name, 'Date,Payee,Amount,Account,Balance', ...rows);
  const one = table('one.csv', '2026-06-02,Shop,-1.00,Cash,', '2026-06-01,Shop,-2.00,Cash,');
  const two = table('two.csv', '2026-06-01,A,-1.00,Desk,', '2026-06-01,A,-1.00,Box,');
  const stated = table('stated.csv', '2026-06-01,A,-1.00,Bank,99.00');
  const refusesTo = (files: readonly string[], text: RegExp, balance = flag, code = 1) =>
    refuses(['import', ...files, ...balance, ...whose], code, text);
  await refusesTo([two], /has 2 new accounts without a balance, but --opening-balance is for/);
  await refusesTo([stated], /has 0 new accounts without a balance/);
  await refusesTo([one, two], /--opening-balance is for one file/, flag, 2);
  await refusesTo([one], /"-2x" is not an amount/, ['--opening-balance', '-2x'], 2);
  await coffer('import', one, ...flag, '--dry-run', ...whose);
  const balances = async () => await coffer('account', 'list', ...whose);
  assert.doesNotMatch(await balances(), /Cash/);
  const list = await coffer('import', one, ...flag, '--json', ...whose);
  assert.match(await balances(), /Cash .*-23\.50/);
  await refusesTo([one], /has 0 new accounts without a balance/);
  const { import_id } = JSON.parse(list) as { import_id: number };
  await coffer('imports', 'undo', String(import_id), ...whose);
  assert.doesNotMatch(await balances(), /Cash/);
});

test('--yes imports a file where nothing is open, and else says all that is', async () => {
  const whose = await newBook();
  const yes = (...args: readonly string[]) => ['import', ...args, '--yes', ...whose];
  const shop = '2026-03-01,-4,Shop,F1';
  const known = writeLines(folder, 'known.csv', 'Date,Amount,Payee,external_id', shop);
  await refuses(
    yes(known),
    1,
    /1 row of ".*" has no account\. Use --account NAME .*\n".*" was not/,
  );
  await coffer(...yes(known, '--account', 'Cash'));
  const rows = ['2026-03-01,-4.0000,usd,Shop,,Cash,,,unreviewed,F1'];
  assert.deepEqual(await rowsOf(whose), rows);

  const open = writeLines(folder, 'open.csv', 'Date,Amount,Xyz,external_id', '2026-03-01,-5,A,F1');
  const cash = ['--account', 'Cash'];
  await refuses(
    yes(open, ...cash),
    1,
    /has the payee\. Give --map payee=COLUMN[^]* 3 {2}Xyz .*A\n/,
  );
  const doubt =
    /1 row of .* may be in the book already\. Give --on-doubt keep or --on-doubt skip:\n/;
  await refuses(yes(open, ...cash), 1, doubt);
  await refuses(yes(open, ...cash, '--dry-run'), 1, /Give --map[^]*--on-doubt[^]*would not be/);
  await refuses(yes(open, '--on-doubt', 'skip'), 1, /has the payee[^]* has no account/);
  assert.deepEqual(await rowsOf(whose), rows);

  const said = [...cash, '--map', 'payee=', '--on-doubt', 'keep'];
  await coffer(...yes(open, ...said));
  assert.equal((await rowsOf(whose)).length, 2);
});

test('--yes does not import a long file of whose last rows one has no account', async () => {
  const whose = await newBook();
  const rows = Array.from({ length: 20_001 }, () => '2026-06-01,Shop,-1.00,Cash');
  const head = 'Date,Payee,Amount,Account';
  const file = writeLines(folder, 'last.csv', head, ...rows, '2026-06-01,Shop,-1.00,');
  const text = /1 row of ".*" has no account\. Use --account '=NAME'/;
  await refuses(['import', file, '--yes', ...whose], 1, text);
  assert.deepEqual(await rowsOf(whose), []);
});
