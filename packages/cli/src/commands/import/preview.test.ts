import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coffer,
  makeFolder,
  newBook,
  refuses,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();
const whose = await newBook();
const write = (name: string, ...lines: string[]): string => writeLines(folder, name, ...lines);

const header = 'Date;Booked;Payee;Amount;Currency;Category;Account;Id;Nothing';
const long = 'A payee with a very long name that would not fit';
const known = [
  '2026-05-01;;Shop;-4.00;USD;Food;Checking account;;x',
  '2026-05-02;;Bar;-5.00;USD;;Checking account;;x',
];

test('a dry run shows rows, columns, what is skipped, and totals, in 80 columns', async () => {
  await coffer('import', write('before.csv', header, ...known), ...whose);
  const file = write(
    'p.csv',
    header,
    ...known,
    `2026-05-03;;${long};-1234567.5;EUR;A long category;Checking account;;x`,
    '2026-05-04;;ラーメン屋ラーメン屋ラーメン屋;-7;USD;;An account with a long name;;x',
    ...Array.from({ length: 5 }, (_, day) => `2026-05-1${day};;Bar;-${day}.50;USD;;;;x`),
    'Total;;;1;USD;;;;x',
  );
  const { stdout, stderr } = await runCoffer(['import', file, '--dry-run', ...whose]);
  assert.equal(
    stderr,
    `5 rows of "${file}" have no account. Use --account '=NAME' to import such rows into an account\n`,
  );
  const lines = stdout.replaceAll(folder, '…').trimEnd().split('\n');
  assert.deepEqual(lines, [
    'Columns of "…/p.csv":',
    'NO  NAME      VALUE             READ AS',
    ' 1  Date      2026-05-01        date',
    ' 2  Booked    -                 -',
    ' 3  Payee     Shop              payee',
    ' 4  Amount    -4.00             amount',
    ' 5  Currency  USD               currency',
    ' 6  Category  Food              category',
    ' 7  Account   Checking account  account',
    ' 8  Id        -                 -',
    ' 9  Nothing   x                 -',
    'delimiter ";", encoding utf-8, dates y-m-d, decimal point',
    '',
    'First rows:',
    'DATE        AMOUNT             PAYEE            ACCOUNT             CATEGORY',
    '2026-05-03  -1234567.5000 eur  A payee with a…  Checking account    A long cate…',
    '2026-05-04        -7.0000 usd  ラーメン屋ラー…  An account with a…  -',
    '2026-05-10        -0.5000 usd  Bar              -                   -',
    '2026-05-11        -1.5000 usd  Bar              -                   -',
    '2026-05-12        -2.5000 usd  Bar              -                   -',
    '',
    'By account:',
    'ACCOUNT                      ROWS  TOTAL              FIRST       LAST',
    'Checking account                1  -1234567.5000 eur  2026-05-03  2026-05-03',
    'An account with a long name     1        -7.0000 usd  2026-05-04  2026-05-04',
    '(no account)                    5       -12.5000 usd  2026-05-10  2026-05-14',
    '',
    'Skipped:',
    '2 rows: known, in the book',
    '1 row: left out, total line',
    '',
    lines.at(-1),
  ]);
  assert.match(lines.at(-1)!, /^…\/p\.csv: 7 transactions would be imported, 2 skipped because/);
  assert.ok(lines.slice(0, -1).every((line) => line.length <= 80));
});

test('with --json a dry run has all of it', async () => {
  const file = write('j.csv', header, ...known, '2026-05-03;;New;-1;EUR;;Wallet;;x');
  const text = await coffer('import', file, '--dry-run', '--json', ...whose);
  const { preview } = JSON.parse(text) as { preview: Record<string, unknown> };
  const { mapping, ...rest } = preview;
  const date = '2026-05-03';
  const row = { line: 4, date, amount: '-1.0000', currency: 'eur', payee: 'New' };
  const total = { account: 'Wallet', count: 1, first_date: date, last_date: date };
  assert.deepEqual(rest, {
    first_rows: [{ ...row, account: 'Wallet', category: null }],
    left_out: [],
    accounts: [{ ...total, sum_by_currency: { eur: '-1.0000' } }],
  });
  assert.partialDeepStrictEqual(mapping, {
    columns: [{ key: 'date', number: 1, name: 'Date', is_fallback: false }],
    date_format: 'y-m-d',
    decimal: 'point',
    delimiter: ';',
    encoding: 'utf-8',
    negate: false,
  });
});

test('a dry run of a format without columns shows rows and totals', async () => {
  const file = write('q.qif', '!Type:Bank', 'D31/05/2024', 'T-1.00', 'PShop', '^');
  const text = await coffer('import', file, '--dry-run', '--account', 'Wallet', ...whose);
  assert.match(
    text,
    /^First rows:\nDATE .*\n2024-05-31 +-1\.0000 usd +Shop +Wallet +-\n\nBy account/,
  );
});

test('a doubtful row is listed with the transaction that it may be', async () => {
  const table = (name: string, payee: string) =>
    write(name, 'Date,Amount,Payee,external_id', `2024-03-01,-${payee.length},${payee},F1`);
  const into = ['--account', 'Wallet', ...whose];
  await coffer('import', table('d1.csv', 'Shop'), ...into);
  const other = table('d2.csv', 'Other');
  const text = await coffer('import', other, '--dry-run', ...into);
  assert.match(text, /"Other": may be transaction \d+, 2024-03-01 -4\.0000 "Shop": ./);
  const skipped = await coffer('import', other, '--dry-run', '--on-doubt', 'skip', ...into);
  assert.match(skipped, /Skipped:\n1 row: doubtful, may be in the book\n/);
  const choice = ['--dry-run', '--on-doubt', 'skip', '--json'];
  assert.partialDeepStrictEqual(JSON.parse(await coffer('import', other, ...choice, ...into)), {
    imported: 0,
    skipped_by_choice: 1,
    doubtful_rows: [{ line: 2, amount: '-5.0000', imported: false }],
  });
  // Without a terminal, rows in doubt are kept.
  const asked = await coffer('import', other, '--dry-run', '--on-doubt', 'ask', ...into);
  assert.match(asked, /: 1 transaction would be imported/);
  assert.match(
    await coffer('import', other, ...into),
    /1 row may be in the book already \(imported, see --on-doubt\):\n.*d2\.csv:2: 2024-03-01 -5\.0000 "Other": /,
  );
});

test('a row with a known id and another amount is listed with both, and left out unless asked for', async () => {
  const table = (name: string, ...amounts: number[]) =>
    write(
      name,
      'Date,Amount,Payee,external_id',
      ...amounts.map((each, at) => `2024-03-01,${each},Shop,G${at}`),
    );
  const into = ['--account', 'Wallet', ...(await newBook())];
  await coffer('import', table('g1.csv', -4, -5), ...into);
  const other = table('g2.csv', -4, -6);
  const why =
    /-6\.0000 "Shop": may be transaction \d+, 2024-03-01 -5\.0000 "Shop": same id, .*-6.* instead of -5/;
  for (const flags of [['--dry-run'], []]) {
    const text = await coffer('import', other, ...flags, ...into);
    assert.match(text, /1 row may be in the book already \(not imported, see --on-doubt\)/);
    assert.match(text, why);
  }
  const json = await coffer('import', other, '--on-doubt', 'keep', '--json', ...into);
  assert.partialDeepStrictEqual(JSON.parse(json), { imported: 1, skipped_duplicates: 1 });
});

test('--skip-bad-rows imports the good rows and lists the bad ones', async () => {
  const rows = ['2026-06-01,Shop,-1.00', '2026-06-31,Bad day,-1.00', '2026-06-03,Bad money,abc'];
  const file = write('bad.csv', 'Date,Payee,Amount', ...rows, '2026-06-04,Bar,-2.00');
  const book = await newBook();
  const into = ['--account', 'Cash', '--skip-bad-rows', ...book];
  const { code, stdout, stderr } = await runCoffer(['import', file, ...into]);
  assert.equal(code, 0);
  assert.match(stdout, /: 2 transactions imported, 2 bad rows skipped\. .*Total: -3\.0000 usd/);
  assert.ok(
    stderr.startsWith(
      '2 bad rows skipped:\n' +
        `${file}:3: column "Date": value "2026-06-31": Not a date\n` +
        `${file}:4: column "Amount": value "abc": Not an amount\n`,
    ),
    stderr,
  );
  const record = JSON.parse(await coffer('import', file, '--json', ...into)) as object;
  assert.partialDeepStrictEqual(record, {
    imported: 0,
    skipped_duplicates: 2,
    bad_rows: 2,
    bad_row_problems: [
      { line: 3, column: 'Date', value: '2026-06-31', reason: 'Not a date' },
      { line: 4, column: 'Amount', value: 'abc', reason: 'Not an amount' },
    ],
  });
  assert.match(await coffer('import', file, '--dry-run', ...into), /\n2 rows: bad, listed above\n/);
});

test('an unclear file is refused with its columns and the flags to give', async () => {
  const unknown = write('unknown.csv', 'Wann;Wer;Wie viel;Rest', '2026-04-30;Laden;3,50;9,00');
  const { code, stderr } = await runCoffer(['import', unknown, '--json', ...whose]);
  assert.equal(code, 1);
  assert.deepEqual(stderr.trimEnd().split('\n').slice(1), [
    `The columns of "${unknown}", each with its first value:`,
    '   1  Wann                            2026-04-30',
    '   2  Wer                             Laden',
    '   3  Wie viel                        3,50',
    '   4  Rest                            9,00',
    'Give --map date=COLUMN,amount=COLUMN,payee=COLUMN with names or numbers of columns',
    `"${unknown}" was not imported`,
  ]);
  const dates = write('dates.csv', 'Date,Payee,Amount', '02/03/2026,Shop,-1.50');
  await refuses(
    ['import', dates, ...whose],
    1,
    /\nGive --date-format d\/m\/y for 2026-03-02, or --date-format m\/d\/y for 2026-02-03\n/,
  );
  const rows = ['2026-01-31,Credit,-50', '2026-01-31,Debit,-7'];
  const signs = write('signs.csv', 'Date,My Type,Amount', ...rows);
  await coffer('import', signs, '--map', 'direction=My Type', ...whose);
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
    const file = write('long.csv', head, ...lines);
    const { stderr } = await runCoffer(['import', file, ...book]);
    assert.match(stderr, /1 row of "[^"]+" has no account\. Use --account '=NAME'/);
  }
});
