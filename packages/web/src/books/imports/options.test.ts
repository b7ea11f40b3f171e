import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accountLines,
  canName,
  isGuess,
  askedFor,
  columnKeys,
  columnsInText,
  given,
  isReadable,
  mapOf,
} from './options.ts';
import type { FileColumn } from './options.ts';

const column = (number: number, key: FileColumn['key']): FileColumn => ({
  number,
  key,
  name: '',
  sample: '',
});

test('columns are written by number, the first one of each key', () => {
  const columns = [column(1, 'date'), column(2, ''), column(3, 'amount'), column(4, 'amount')];
  assert.equal(mapOf(columns), 'date=1,amount=3');
  assert.ok(isReadable(columns));
  for (const [keys, expected] of [
    [['date', 'payee'], false],
    [['amount', 'payee'], false],
    [['date', 'debit'], true],
    [['date', 'credit'], true],
  ] as const)
    assert.equal(isReadable(keys.map((key, at) => column(at, key))), expected);
  assert.deepEqual(given({ a: '', b: undefined, c: null, d: false, e: 0 }), { d: false, e: 0 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom('' as const, ...columnKeys)), (keys) => {
      const all = keys.map((key, place) => column(place + 1, key));
      const written = mapOf(all);
      const parts = written === '' ? [] : written.split(',');
      assert.equal(parts.length, new Set(keys.filter((key) => key !== '')).size);
    }),
  );
});

test('the columns of a text are found below a preamble, with quotes', () => {
  const text = 'Account 1\n\n"When; then";Who;Amount\n01.02.2026;"Baker; Sons";-3,50\n';
  assert.deepEqual(
    columnsInText(text).map(({ number, name, sample }) => [number, name, sample]),
    [
      [1, 'When; then', '01.02.2026'],
      [2, 'Who', 'Baker; Sons'],
      [3, 'Amount', '-3,50'],
    ],
  );
  assert.deepEqual(columnsInText('no table'), []);
  for (const [table, ...names] of [
    ['a;b\n1;2', 'a 1', 'b 2'],
    ['a\tb', 'a a', 'b b'],
    ['a|"b|c"\r1|2', 'a 1', 'b|c 2'],
  ] as const)
    assert.deepEqual(
      columnsInText(table).map(({ name, sample }) => `${name} ${sample}`),
      names,
    );
  fc.assert(
    fc.property(fc.string(), (any) => {
      assert.ok(Array.isArray(columnsInText(any)));
    }),
  );
});

test('problems say which choice they ask for', () => {
  const of = (errMsg: string): string[] =>
    Object.entries(askedFor([{ errMsg }])).flatMap(([name, isAsked]) => (isAsked ? [name] : []));
  assert.deepEqual(of('Could be 2026-03-02 or 2026-02-03: specify the date format'), [
    'dateFormat',
  ]);
  for (const [text, option] of [
    ['No header row with a date: map the columns by name or number', 'columns'],
    ['No header row', 'columns'],
    ['The file has no date: map the columns', 'columns'],
    ['The file has several accounts: "A" and "B"', 'account'],
    ['Could be 1.234: specify the decimal sign', 'decimal'],
    ['Year 1066 needs any_year', 'anyYear'],
  ] as const)
    assert.deepEqual(of(text), [option]);
});

test('a column that is not read any more is switched off, and fallbacks are left to the server', () => {
  const before = [column(1, 'date'), column(2, 'payee'), column(3, 'payee'), column(4, 'amount')];
  const account = [...before, column(5, 'account')];
  assert.equal(mapOf([...before, column(5, '')], account), 'date=1,amount=4,account=');
  assert.equal(mapOf(before, before, 'notes="a, b",account=,date=1'), 'date=1,amount=4,account=');
  const moved = [column(1, 'date'), column(2, ''), column(3, 'payee'), column(4, 'amount')];
  assert.equal(mapOf([...moved, column(5, 'payee')], account), 'date=1,payee=5,amount=4,account=');
  assert.equal(mapOf([column(1, 'date')], before), 'date=1,payee=');
});

test('accounts are renamed as a whole, or by the end of their number', () => {
  const account = (name: string | null) => ({ name, id: null, rows: 1, sums: [] });
  const one = { accounts: [account('Checking 0002')], options: {} };
  assert.ok(canName(one, 'Checking 0002'));
  assert.equal(accountLines(one, 'Checking 0002', 'Giro'), 'Giro');
  assert.equal(accountLines({ ...one, accounts: [account(null)] }, null, 'Giro'), 'Giro');
  const two = { ...one, accounts: [account('Checking 0002'), account('Card 1234')] };
  assert.equal(accountLines(two, 'Card 1234', 'Visa'), '1234=Visa');
  const named = { ...two, options: { account: '1234=Visa\n0002=Giro' } };
  assert.equal(accountLines(named, 'Card 1234', 'Amex'), '0002=Giro\n1234=Amex');
  assert.equal(accountLines(named, 'Visa', 'Amex'), '0002=Giro\n1234=Amex');
  for (const [name, isNamed] of [
    ['Card 123', false],
    ['Card 1234', true],
    ['Card 12345', true],
    ['Card 1234 b', false],
  ] as const)
    assert.equal(canName(two, name), isNamed, name);
  assert.equal(accountLines(two, 'Card 12345', 'Visa'), '12345=Visa');
  assert.equal(accountLines(two, 'Card 123', 'Visa'), '=Visa');
});

test('a remembered account is a guess until rows or a balance of the file speak for it', () => {
  const verdicts = { new: 2, doubtful: 0, known: 0, replaces: 0, bad: 0 };
  const giro = { name: 'Giro', id: 1, rows: 2, sums: [], balance: null };
  const guess = { remembered: { account: 'Giro' }, verdicts, accounts: [giro] };
  const balance = (difference: string) => ({ day: '2026-10-01', balance: '5.0000', difference });
  assert.ok(isGuess(guess));
  assert.ok(isGuess({ ...guess, accounts: [{ ...giro, balance: balance('1.0000') }] }));
  for (const sure of [
    { remembered: {} },
    { verdicts: { ...verdicts, known: 1 } },
    { accounts: [{ ...giro, name: null }] },
    { accounts: [{ ...giro, balance: balance('0.0000') }] },
  ])
    assert.ok(!isGuess({ ...guess, ...sure }));
});

test('rows without an account get one of their own, which can be changed', () => {
  const account = (name: string | null) => ({ name, id: null, rows: 1, sums: [] });
  const mixed = { accounts: [account('Cash'), account(null)], options: {} };
  assert.ok(!canName(mixed, 'Cash') && canName(mixed, null));
  assert.equal(accountLines(mixed, null, 'Giro'), '=Giro');
  const named = { accounts: [account('Cash'), account('Giro')], options: { account: '=Giro' } };
  assert.ok(canName(named, 'Giro'));
  assert.equal(accountLines(named, 'Giro', 'Visa'), '=Visa');
});
