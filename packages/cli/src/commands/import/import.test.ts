import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  jsonLines,
  makeFolder,
  newBook,
  refuses,
  rowsOf,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();
const writeStatement = (name: string, ...lines: string[]): string =>
  writeLines(folder, name, ...lines);

const shop = writeStatement(
  'shop.csv',
  'Date,Payee,Amount,Currency,Category,Account',
  '2024-01-02,Shop,-12.50,USD,Food,Checking',
  '2024-01-02,Shop,-12.50,USD,Food,Checking',
  '2024-02-29,Employer,2000.00,USD,,Checking',
);

test('equal rows of a file are all imported, and the same file again adds nothing', async () => {
  const whose = await newBook();
  const first = await runCoffer(['import', shop, ...whose]);
  assert.deepEqual(first, {
    code: 0,
    stdout:
      `${shop}: 3 transactions imported. 1 account and 1 category created. ` +
      'Dates: 2024-01-02 to 2024-02-29. Total: 1975.0000 usd.\n',
    stderr: '',
  });
  const rows = await rowsOf(whose);
  assert.deepEqual(rows, [
    '2024-01-02,-12.5000,usd,Shop,,Checking,Food,,unreviewed,',
    '2024-01-02,-12.5000,usd,Shop,,Checking,Food,,unreviewed,',
    '2024-02-29,2000.0000,usd,Employer,,Checking,,,unreviewed,',
  ]);
  assert.match(
    await coffer('import', shop, ...whose),
    /: 0 transactions imported, 3 skipped because the book has them already\. Dates: 2024/,
  );
  assert.deepEqual(await rowsOf(whose), rows);
});

test('--json prints only a line of JSON for each file', async () => {
  const whose = await newBook();
  const row = '2023-12-31,-0.07,Café,EUR';
  const other = writeStatement('other.csv', 'Date,Amount,Payee,Currency', row);
  const { code, stdout } = await runCoffer(['import', shop, other, '--json', ...whose]);
  assert.equal(code, 0);
  const first = {
    import_id: 1,
    imported: 3,
    skipped_duplicates: 0,
    replaced: 0,
    skipped_by_choice: 0,
    doubtful: 0,
    doubtful_rows: [],
    tags_created: 0,
    accounts_created: 1,
    categories_created: 1,
    first_date: '2024-01-02',
    last_date: '2024-02-29',
    sum_by_currency: { usd: '1975.0000' },
    balances: [],
    without_rate: 0,
    currencies_without_rate: [],
    left_out: 0,
    bad_rows: 0,
    bad_row_problems: [],
    warnings: [],
    remembered: null,
  };
  const second = {
    ...first,
    import_id: 2,
    imported: 1,
    accounts_created: 0,
    categories_created: 0,
    first_date: '2023-12-31',
    last_date: '2023-12-31',
    sum_by_currency: { eur: '-0.0700' },
    without_rate: 1,
    currencies_without_rate: ['eur'],
  };
  assert.deepEqual(jsonLines(stdout), [first, second]);
});

test('a dry run reports the same with "would" and changes nothing', async () => {
  const whose = await newBook();
  const dry = await coffer('import', shop, '--dry-run', '--json', ...whose);
  const text = await coffer('import', shop, '--dry-run', ...whose);
  assert.match(
    text,
    /: 3 transactions would be imported\. 1 account and 1 category would be created\./,
  );
  assert.deepEqual(await rowsOf(whose), []);
  assert.doesNotMatch(await coffer('export', '--format', 'ndjson', ...whose), /Checking|Food/);
  const imported = await coffer('import', shop, '--json', ...whose);
  const { preview, ...same } = JSON.parse(dry) as Record<string, unknown>;
  assert.ok(preview !== undefined);
  assert.deepEqual({ ...JSON.parse(imported), import_id: null }, same);
});

test('the balances of a file are compared with those that the rows make', async () => {
  const whose = await newBook();
  const take = (name: string, row: string, ...options: string[]) => {
    const file = writeStatement(name, 'Date,Payee,Amount,Currency,Balance', row);
    return coffer('import', file, '--account', 'Cash', ...options, ...whose);
  };
  assert.match(
    await take('first.csv', '2024-01-02,Shop,-5.00,USD,95.00'),
    /\nThe balance of "Cash" on 2024-01-02, 95\.0000, matches to the cent\.\n$/,
  );
  const wrong = '2024-01-09,Shop,-1.00,USD,90.00';
  assert.match(await take('next.csv', wrong, '--dry-run'), /90\.0000, is -4\.0000 away from what/);
  const { balances } = JSON.parse(await take('next.csv', wrong, '--json')) as Record<
    string,
    unknown
  >;
  const day = { account: 'Cash', day: '2024-01-09', balance: '90.0000', difference: '-4.0000' };
  assert.deepEqual(balances, [day]);
});

test('an invalid line is reported with file, line, column, value and reason, and nothing is imported', async () => {
  const whose = await newBook();
  const wrong = writeStatement(
    'wrong.csv',
    'Date,Payee,Amount',
    '2024-01-02,Shop,-12.50',
    '2024-01-32,Shop,-1.00',
    '2024-01-03,"A\u001b[31m shop",twelve\u001b[2J',
  );
  const { code, stdout, stderr } = await runCoffer(['import', wrong, ...whose]);
  assert.deepEqual([code, stdout], [1, '']);
  const lines = stderr.trimEnd().split('\n');
  assert.equal(lines.length, 3, stderr);
  assert.match(lines[0] ?? '', /wrong\.csv:3: column "Date": value "2024-01-32": ./);
  assert.match(lines[1] ?? '', /wrong\.csv:4: column "Amount": value "twelve\\u001b\[2J": ./);
  assert.equal(lines[2], `"${wrong}" was not imported`);
  assert.deepEqual(await rowsOf(whose), []);
});

test('a row that the book refuses is reported in the same way', async () => {
  const whose = await newBook();
  const header = 'Date,Payee,Amount,Currency';
  const rows = ['2024-01-02,A,1.00,USD', '2024-01-02,B,1.00,XXQ'];
  const wrong = writeStatement('currency.csv', header, ...rows);
  const refused = /currency\.csv:3: column "currency": value "xxq": is not a supported currency/;
  await refuses(['import', wrong, ...whose], 1, refused);
  assert.deepEqual(await rowsOf(whose), []);
});

test('problems after the first hundred are counted', async () => {
  const lines = Array.from({ length: 150 }, (_, index) => `2024-01-01,Shop,wrong${index}`);
  const wrong = writeStatement('many.csv', 'Date,Payee,Amount', '2024-01-01,Shop,1.00', ...lines);
  const counted = /many\.csv:102: [^\n]+\nand 50 more\n".*many\.csv" was not imported\n$/;
  await refuses(['import', wrong, ...(await newBook())], 1, counted);
});

test('files before a refused one are imported, and files after it are not read', async () => {
  const whose = await newBook();
  const wrong = writeStatement('second.csv', 'Date,Payee,Amount', '2024-01-01,Shop,1,2,3');
  const { code, stdout, stderr } = await runCoffer(['import', shop, wrong, shop, ...whose]);
  assert.equal(code, 1);
  assert.match(stdout, /^[^\n]+shop\.csv: 3 transactions imported[^\n]+\n$/);
  assert.ok(stderr.includes(`\nFiles that were imported: "${shop}"\n`), stderr);
  assert.ok(stderr.endsWith(`\nFiles that were not read: "${shop}"\n`), stderr);
  assert.equal((await rowsOf(whose)).length, 3);
});

test('a misspelt file name is reported before anything is imported', async () => {
  const whose = await newBook();
  mkdirSync(join(folder, 'a-folder'));
  for (const [file, message] of [
    [join(folder, 'gone.csv'), /^There is no file ".*gone\.csv"\n$/],
    [join(folder, 'a-folder'), /^Cannot import ".*a-folder": it is a directory\n$/],
    ['/dev/null', /^Cannot import "\/dev\/null": it is not a regular file/],
  ] as const)
    await refuses(['import', shop, file, ...whose], 1, message);
  assert.deepEqual(await rowsOf(whose), []);
});

test('--account wins over a column of accounts and says so, or names those without one or with a number', async () => {
  const header = 'Date,Payee,Amount,Currency,Account';
  const rows = [
    '2024-01-02,A,-1.00,USD,Cash 1234',
    '2024-01-03,B,2.00,USD,',
    '2024-01-04,C,3.00,USD,',
  ];
  const file = writeStatement('accounts.csv', header, ...rows);
  const hint = `2 rows of "${file}" have no account. Use --account '=NAME' to import such rows into an account\n`;
  const wins = `${file}: --account "Savings" wins over the accounts in column "Account"\n`;
  for (const [flags, said, accounts] of [
    [[], hint, ['Cash 1234', '', '']],
    [['--account', ' Savings '], wins, ['Savings', 'Savings', 'Savings']],
    [['--account', '=Savings'], '', ['Cash 1234', 'Savings', 'Savings']],
    [['--account', '=Savings', '--account', '1234=Giro'], '', ['Giro', 'Savings', 'Savings']],
    [['--map', 'account=', '--account', 'Savings'], '', ['Savings', 'Savings', 'Savings']],
  ] as const) {
    const whose = await newBook();
    const { stderr } = await runCoffer(['import', file, ...flags, ...whose]);
    assert.equal(stderr, said);
    const found = (await rowsOf(whose)).map((row) => row.split(',')[5]);
    assert.deepEqual(found, accounts, flags.join(' '));
  }
  const one = writeStatement('one.csv', header, ...rows.slice(0, 2));
  const { stderr } = await runCoffer(['import', one, ...(await newBook())]);
  assert.match(stderr, /^1 row of .* has no account\./);
});

test('a column that is switched off stays off for such files', async () => {
  const whose = await newBook();
  const header = 'Date,Payee,Amount,Currency,Account';
  const may = writeStatement('off-may.csv', header, '2024-05-01,A,-1.00,USD,Cash');
  await runCoffer(['import', may, '--map', 'account=', '--account', 'Giro', ...whose]);
  const june = writeStatement('off-june.csv', header, '2024-06-01,B,-2.00,USD,Card');
  const { stdout } = await runCoffer(['import', june, ...whose]);
  assert.match(stdout, /columns account=none, account "Giro"/);
  assert.deepEqual(
    (await rowsOf(whose)).map((row) => row.split(',')[5]),
    ['Giro', 'Giro'],
  );
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

test('options that no import can have are misuse', async () => {
  for (const [options, message] of [
    [['--map', 'date'], /^--map: Column map: part "date" does not/],
    [['--encoding', 'klingon'], /^--encoding: "klingon" is not a known/],
    [['--account', ' '], /^--account: " " is not a valid name/],
    [['--account', 'x'.repeat(46)], /^--account: "x+" is not a valid name/],
  ] as const)
    await refuses(['import', shop, ...options, '--email', 'me@example.com'], 2, message);
});

test('an empty payee and blanks around texts survive an export and an import', async () => {
  const book = await newBook();
  const rows = [
    `,"' two  blanks ",Cash,,,unreviewed,a`,
    `"'\u00a0A  B ",',Cash,,,unreviewed,b`,
    `[No Payee], ' x,Cash,,,unreviewed,c`,
    `O'Neill',"'' ",Cash,,,unreviewed,d`,
    `'=1,,Cash,,,unreviewed,e`,
  ];
  const exported = 'id,date,amount,currency,payee,notes,account,category,tags,status,external_id';
  const lines = rows.map((row, at) => `${at + 1},2024-05-0${at + 1},-1.0000,usd,${row}`);
  await coffer('import', writeStatement('own.csv', exported, ...lines), ...book);
  const text = await coffer('export', '--format', 'csv', ...book);
  const again = text.trimEnd().split('\n').slice(1);
  assert.deepEqual(
    again.map((line) => line.replace(/^\d+,/, '')),
    lines.map((line) => line.replace(/^\d+,/, '').replace(", ' x,", `," ' x",`)),
  );
  const summary = await coffer(
    'import',
    writeStatement('again.csv', exported, ...again),
    '--json',
    ...book,
  );
  assert.partialDeepStrictEqual(JSON.parse(summary), { imported: 0, skipped_duplicates: 5 });
});
