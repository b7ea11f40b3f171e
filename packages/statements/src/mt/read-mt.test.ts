import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import { mtText, type MtMessage } from '../testing/mt-text.ts';
import {
  entriesOf,
  errorOf,
  problemsOf,
  reasonsOf,
  shownOf,
  warningsOf,
} from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

/** A file with entries whose `:61:` are given. */
const linesText = (...lines: readonly string[]): string =>
  mtText({ entries: lines.map((line) => ({ line })) });
const warned = (...messages: readonly MtMessage[]): string[] => warningsOf(mtText(...messages));

describe('an MT940 file', () => {
  it('gives entries and accounts', () => {
    const line = '2401310201D1234,5NTRFNONREF//0724710345313905';
    const closing =
      ':62F:D240131EUR1134,50\n:64:D240131EUR1134,50\n:65:D240201EUR1134,50\n:86:the end';
    const text = mtText({ entries: [{ line, details: '105?20SVWZ+Miete?32Anna' }], closing });
    const statement = readStatement(sourceOf(text));
    const balance = (kind: string, amount: number, date: string) => ({ kind, amount, date });
    assert.deepEqual(
      { ...statement, entries: [...statement.entries()] },
      {
        format: 'mt940',
        encoding: 'utf-8',
        entryCount: 1,
        leftOut: [],
        warnings: [],
        accounts: [
          {
            name: 'Account 4567',
            id: '1234567',
            bankId: '10020030',
            type: 'account',
            currency: 'eur',
            entryCount: 1,
            balances: [
              balance('ledger', 1_000_000, '2024-01-01'),
              balance('ledger', -11_345_000, '2024-01-31'),
              balance('available', -11_345_000, '2024-01-31'),
            ],
          },
        ],
        entries: [
          {
            line: 5,
            date: '2024-01-31',
            amount: -12_345_000,
            currency: 'eur',
            payee: 'Anna',
            notes: 'Miete',
            category: null,
            account: 'Account 4567',
            externalId: '0724710345313905',
            bankId: { id: '0724710345313905', nth: 1, isRepeated: false },
          },
        ],
      },
    );
  });

  it('has value dates, signs of reversals, and amounts with any decimals', () => {
    for (const [line, wanted] of [
      ['2312310102D9,N192NONREF', '2023-12-31 | -9 | -'],
      ['240102CR0,01NTRF', '2024-01-02 | 0.01 | -'],
      ['2401020102RCR204,88NRTINONREF', '2024-01-02 | -204.88 | -'],
      ['240102RDN5,1234NMSC', '2024-01-02 | 5.1234 | -'],
      ['240102DD000000000025,00N102EREF', '2024-01-02 | -25 | -'],
      ['20240102C,5S   X', '2024-01-02 | 0.5 | -'],
      ['1602300301DR6,00N024NONREF', '2016-02-29 | -6 | -'],
      ['990101C1,005NTRF', '1999-01-01 | 1.005 | -'],
      ['2401310131d5,00NTRF', '2024-01-31 | -5 | -'],
    ] as const)
      assert.deepEqual(shownOf(linesText(line), 'date amount externalId'), [wanted], line);
  });

  it('may have an envelope, control characters, CRLF, other texts and broken lines', () => {
    const details = 'x at\n:20:30 and\n:12:30 pm';
    const body = mtText({ entries: [{ line: '240131D\n5,00NTRF', details }] });
    const names = 'date amount currency payee notes account externalId';
    const wanted = shownOf(body, names);
    assert.match(wanted.join(), / \| x at :20:30 and :12:30 pm \| /);
    for (const text of [
      `{1:F01BANK0000000000}{2:I940BANKN}{3:{108:1}}{4:\n${body.slice(0, -2)}-}{5:{CHK:1}}`,
      `{1:D02}\n{2:E62}\n{4:${body.slice(0, -2)}-}{1:D02}{2:I940}{4:\n${mtText({})}`,
      `\x01\n${body.replace(':61:', '\x02:61:')}\x03`,
      `A sample file\n----\n\n${body.replace(':60F', '\n\n:60F')}`,
      `BANKNL2A\n940\nBANKNL2A\n:940:\n${body}`,
      `ä4:\n${body.slice(0, -2)}-å`,
      body.replace(':86:', ':\n86:'),
    ])
      for (const end of ['\n', '\r\n', '\r'])
        assert.deepEqual(shownOf(text.replaceAll('\n', end), names), wanted, text);
  });

  it('may have several accounts and pages, each entry in its own', () => {
    const account = '1002/1234567';
    const entries = [{}];
    const text = mtText(
      { account, entries, closing: ':62M:C240131EUR95,00' },
      { account, entries, opening: ':60M:C240131EUR95,00', closing: ':62F:C240131EUR90,00' },
      { account, entries, opening: ':60F:C240101USD100,' },
      { account: '9999/1234567', entries },
      { account: 'NL00BANK0000000001EUR', entries: [] },
      { account: 'BANKHUHB/77-88/HUF', opening: ':60F:C240101HUF1,', entries },
    );
    const { accounts } = readStatement(sourceOf(text));
    assert.deepEqual(
      accounts.map(({ name, bankId, id, entryCount }) => [name, bankId, id, entryCount].join('|')),
      [
        'Account 1002 1234567 EUR|1002|1234567|2',
        'Account 1002 1234567 USD|1002|1234567|1',
        'Account 9999 1234567|9999|1234567|1',
        'Account 0001||NL00BANK0000000001|0',
        'Account 7788|BANKHUHB|77-88|1',
      ],
    );
    const names = shownOf(text, 'account').join('|').replaceAll('Account ', '');
    assert.equal(names, '1002 1234567 EUR|1002 1234567 EUR|1002 1234567 USD|9999 1234567|7788');
    assert.deepEqual(warningsOf(text), []);
  });

  it('is warned about if balances do not follow, or a statement is repeated', () => {
    const wrong = { entries: [{}], closing: ':62F:C240131EUR96,' };
    assert.deepEqual(warned(wrong), [
      '6: Closing balance is 96.0000, but the opening balance and the entries total 95.0000',
    ]);
    const right = { entries: [{}], closing: ':62F:C240131EUR95,' };
    assert.deepEqual(warned(right, { ...right, number: '6/1' }), []);
    const twice = /^13: Statement 5\/1 of the account is in the file more/;
    assert.match(warned(right, right).join(), twice);
    assert.deepEqual(warned({ ...right, closing: ':62F:unknown' }), []);
  });

  it('uses only references that identify an entry as ids', () => {
    const idOf = (reference: string, details = 'x') =>
      entriesOf(mtText({ entries: [{ line: `240131D5,NTRFNONREF//${reference}`, details }] }))[0]!
        .externalId;
    for (const id of ['MB170119012058', 'E87048E11B394C1E', '32-P1-TCS49518'])
      assert.equal(idOf(id), id);
    const others = 'NONREF|55555|nota|70201234|00000000001005|v/teste kunden|ABCDEFGHIJ12';
    for (const text of others.split('|')) assert.equal(idOf(text), null, text);
    assert.equal(idOf('1111252358', 'TeleService 1111252358'), null);
    const one = { entries: [{ line: '240131D5,NTRF//MB170119012058' }] };
    const ids = (...messages: MtMessage[]) => shownOf(mtText(...messages), 'externalId').join();
    assert.equal(ids(one, one), '-,-');
    assert.equal(ids(one, { ...one, account: '2' }), 'MB170119012058,MB170119012058');
  });

  it('can be shown with other signs, and in an encoding of its country', () => {
    const text = mtText({ entries: [{ details: '\xaf\xf3\xb3w' }], closing: ':62F:C240131EUR95,' });
    const bytes = Buffer.from(text, 'latin1');
    const options = { encoding: 'windows-1250', negate: true };
    assert.deepEqual(shownOf(bytes, 'payee amount', options), ['Żółw | 5']);
    assert.equal(entriesOf(bytes)[0]!.payee, '¯ó³w');
    assert.deepEqual(warningsOf(bytes, { negate: true }), []);
  });

  it('has texts of statements that belong to no entry', () => {
    const line = '240131D5,00NTRFNONREF\n:NS:01First\n02Second';
    const opening = ':60F:C240101EUR100,00\n:86:about the account\n:NS:22Name\n23Other';
    const text = mtText({ opening, entries: [{}, { line }, { details: 'a\n:86:b' }] });
    assert.deepEqual(shownOf(text, 'payee'), ['', 'First Second', 'a b']);
  });
});

describe('an MT942 file', () => {
  const report = { opening: null, entries: [{ line: '240131C5,FTRFNONREF' }] };

  it('has pending entries in the currency of its floor limit or totals', () => {
    const text = mtText({ ...report, rest: [':90D:0EUR0,', ':90C:1EUR5,'] });
    const { format, accounts, warnings } = readStatement(sourceOf(text));
    assert.deepEqual([format, accounts[0]!.currency, warnings], ['mt942', 'eur', []]);
    assert.deepEqual(shownOf(text, 'isPending currency'), ['true | eur']);
    const late = ':20:1\n:25:7\n:28C:1\n:61:240131C5,NTRF\n:90C:1PLN5,\n';
    assert.deepEqual(shownOf(late, 'isPending currency', { format: 'mt942' }), ['true | pln']);
    assert.deepEqual(shownOf(late, 'isPending', { format: 'mt940' }), ['-']);
    const booked = mtText({ entries: [{}], rest: [':13D:2401311200'] });
    assert.deepEqual(shownOf(booked, 'isPending', { format: 'mt942' }), ['-']);
    assert.deepEqual(shownOf(`{1:F01X}{2:O9421200}{4:\n${late}-}`, 'isPending'), ['true']);
  });

  it('may follow an MT940 in one file, and announce entries', () => {
    const text = mtText({ entries: [{}, { line: '240131ED5,NTRF' }] }, report);
    assert.deepEqual(shownOf(text, 'isPending amount'), ['- | -5', 'true | -5', 'true | 5']);
  });

  it('is warned about if it counts other entries', () => {
    assert.deepEqual(warned({ ...report, rest: [':90D:0EUR0,', ':90C:2EUR10,'] }), [
      '8: The report has 2 credits, but 1 were found',
    ]);
  });
});

describe('an MT940 file with problems', () => {
  it('is refused with the line and value of each', () => {
    const lines = ['241331D5,00NTRF', '240131D5.0,0NTRF', '240131X5,00NTRF', '240131D5,12345NTRF'];
    assert.deepEqual(
      problemsOf(linesText(...lines)).map((problem) => Object.values(problem).join(' ')),
      [
        '5 :61: 241331 Not a date',
        '6 :61: 5.0,0 Not an amount',
        '7 :61: 240131X5,00NTRF Not an entry with date, mark and amount',
        '8 :61: 5,12345 More than 4 decimals',
      ],
    );
    assert.match(errorOf(linesText('x')).message, /^Line 5, :61:/);
    const format = 'mt940';
    assert.deepEqual(reasonsOf(':61:240131D5,NTRF\n', { format }), ['1: Is outside a statement']);
    assert.deepEqual(reasonsOf('hello\n', { format }), ['1: File has no account statement']);
    const map = { date: '1' };
    assert.match(errorOf(mtText({}), { map }).message, /for CSV, but this file is MT940$/);
  });

  it('is refused if it has no end, in bounded memory', () => {
    const endless = (begin: string, repeated: string) => ({
      *open() {
        yield Buffer.from(mtText({ entries: [{ details: 'x' }] }) + begin);
        const piece = Buffer.from(repeated.repeat(2000));
        for (let at = 0; at < 5000; at += 1) yield piece;
      },
    });
    const head = ':61:240131D5,NTRF\n';
    for (const [begin, repeated, message] of [
      [`${head}:86:`, 'text of an entry\n', /^Line 9, :86:: Field is longer than 65536/],
      [head, ':86:text of an entry\n', /:86:: Text of one entry is longer than 65536/],
      ['', 'x'.repeat(100), /^Line \d+: Line is longer than 65536/],
      ['', ':20:1\n', /^Line \d+: More than 50000 statements/],
      ['', ':64:C240101EUR1,\n', /^Line \d+: More than 200000 balances/],
    ] as const)
      assert.match(errorOf(endless(begin, repeated)).message, message);
  });
});
