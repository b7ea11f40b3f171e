import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { Statement, StatementOptions } from '../statement.ts';
import { mtText, type MtMessage } from '../testing/mt-text.ts';
import { entriesOf, errorOf, problemsOf, reasonsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

function read(text: string, options: StatementOptions = {}): Statement {
  return readStatement(sourceOf(text), options);
}

/** Date, amount and external id of the entries whose `:61:` are given. */
function figures(...lines: readonly string[]): [string, number, string | null][] {
  const entries = entriesOf(mtText({ entries: lines.map((line) => ({ line })) }));
  return entries.map(({ date, amount, externalId }) => [date, amount, externalId]);
}

function warningsOf(...messages: readonly MtMessage[]): string[] {
  const { warnings = [] } = read(mtText(...messages));
  return warnings.map(({ line, text }) => `${line}: ${text}`);
}

describe('an MT940 file', () => {
  it('gives entries and accounts', () => {
    const text = mtText({
      entries: [
        {
          line: '2401310201D1234,5NTRFNONREF//0724710345313905',
          details: '105?20SVWZ+Miete?32Anna',
        },
      ],
      closing: ':62F:D240131EUR1134,50\n:64:D240131EUR1134,50\n:65:D240201EUR1134,50\n:86:the end',
    });
    const statement = read(text);
    assert.deepEqual([...statement.entries()], [...statement.entries()]);
    assert.deepEqual(
      [...statement.entries()],
      [
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
    );
    const { format, encoding, entryCount, accounts, leftOut, warnings } = statement;
    assert.deepEqual(
      [format, encoding, entryCount, leftOut, warnings],
      ['mt940', 'utf-8', 1, [], []],
    );
    const balance = (kind: string, amount: number, date: string) => ({ kind, amount, date });
    assert.deepEqual(accounts, [
      {
        ...{ name: 'Account 4567', id: '1234567', bankId: '10020030', type: 'account' },
        ...{ currency: 'eur', entryCount: 1 },
        balances: [
          balance('ledger', 1_000_000, '2024-01-01'),
          balance('ledger', -11_345_000, '2024-01-31'),
          balance('available', -11_345_000, '2024-01-31'),
        ],
      },
    ]);
  });

  it('has value dates, signs of reversals, and amounts with any decimals', () => {
    assert.deepEqual(
      figures(
        ...['2312310102D9,N192NONREF', '240102CR0,01NTRF', '2401020102RCR204,88NRTINONREF'],
        ...['240102RDN5,1234NMSC', '240102DD000000000025,00N102EREF', '20240102C,5S   X'],
        ...['1602300301DR6,00N024NONREF', '990101C1,005NTRF', '2401310131d5,00NTRF'],
      ),
      [
        ...[['2023-12-31', -90_000, null] as const, ['2024-01-02', 100, null] as const],
        ...[['2024-01-02', -2_048_800, null] as const, ['2024-01-02', 51_234, null] as const],
        ...[['2024-01-02', -250_000, null] as const, ['2024-01-02', 5_000, null] as const],
        ...[['2016-02-29', -60_000, null] as const, ['1999-01-01', 10_050, null] as const],
        ['2024-01-31', -50_000, null],
      ],
    );
  });

  it('may have an envelope, control characters, CRLF, other texts and broken lines', () => {
    const body = mtText({
      entries: [{ line: '240131D\n5,00NTRF', details: 'x at\n:20:30 and\n:12:30 pm' }],
    });
    const wanted = entriesOf(body).map(({ line: _, ...entry }) => entry);
    assert.equal(wanted[0]!.payee, 'x at :20:30 and :12:30 pm');
    for (const text of [
      `{1:F01BANK0000000000}{2:I940BANKN}{3:{108:1}}{4:\n${body.slice(0, -2)}-}{5:{CHK:1}}`,
      `{1:D02}\n{2:E62}\n{4:${body.slice(0, -2)}-}{1:D02}{2:I940}{4:\n${mtText({})}`,
      `\x01\n${body.replace(':61:', '\x02:61:')}\x03`,
      `A sample file\n----\n\n${body.replace(':60F', '\n\n:60F')}`,
      `BANKNL2A\n940\nBANKNL2A\n:940:\n${body}`,
      `ä4:\n${body.slice(0, -2)}-å`,
      body.replace(':86:', ':\n86:'),
    ]) {
      for (const end of ['\n', '\r\n', '\r']) {
        const entries = entriesOf(text.replaceAll('\n', end));
        assert.deepEqual(
          entries.map(({ line: _, ...entry }) => entry),
          wanted,
          text,
        );
      }
    }
  });

  it('may have several accounts and pages, each entry in its own', () => {
    const entries = [{}];
    const statement = read(
      mtText(
        { account: '1002/1234567', entries, closing: ':62M:C240131EUR95,00' },
        {
          account: '1002/1234567',
          opening: ':60M:C240131EUR95,00',
          entries,
          closing: ':62F:C240131EUR90,00',
        },
        { account: '1002/1234567', opening: ':60F:C240101USD100,', entries },
        { account: '9999/1234567', entries },
        { account: 'NL00BANK0000000001EUR', entries: [] },
        { account: 'BANKHUHB/77-88/HUF', opening: ':60F:C240101HUF1,', entries },
      ),
    );
    assert.deepEqual(
      statement.accounts.map(({ name, bankId, id, entryCount }) => [name, bankId, id, entryCount]),
      [
        ['Account 1002 1234567 EUR', '1002', '1234567', 2],
        ['Account 1002 1234567 USD', '1002', '1234567', 1],
        ['Account 9999 1234567', '9999', '1234567', 1],
        ['Account 0001', null, 'NL00BANK0000000001', 0],
        ['Account 7788', 'BANKHUHB', '77-88', 1],
      ],
    );
    const names = [...statement.entries()].map(({ account }) => account?.replace('Account ', ''));
    assert.deepEqual(names, [
      ...['1002 1234567 EUR', '1002 1234567 EUR', '1002 1234567 USD', '9999 1234567', '7788'],
    ]);
    assert.deepEqual(statement.warnings, []);
  });

  it('is warned about if balances do not follow, or a statement is repeated', () => {
    const wrong = { entries: [{}], closing: ':62F:C240131EUR96,' };
    assert.deepEqual(warningsOf(wrong), [
      '6: Closing balance is 96.0000, but the opening balance and the entries total 95.0000',
    ]);
    const right = { entries: [{}], closing: ':62F:C240131EUR95,' };
    assert.deepEqual(warningsOf(right, { ...right, number: '6/1' }), []);
    assert.match(
      warningsOf(right, right).join(),
      /^13: Statement 5\/1 of the account is in the file more/,
    );
    assert.deepEqual(warningsOf({ ...right, closing: ':62F:unknown' }), []);
  });

  it('uses only references that identify an entry as ids', () => {
    const idOf = (reference: string, details = 'x') =>
      entriesOf(mtText({ entries: [{ line: `240131D5,NTRFNONREF//${reference}`, details }] }))[0]!
        .externalId;
    for (const id of ['MB170119012058', 'E87048E11B394C1E', '32-P1-TCS49518'])
      assert.equal(idOf(id), id);
    const others = [
      'NONREF',
      '55555',
      'nota',
      '70201234',
      '00000000001005',
      'v/teste kunden',
      'ABCDEFGHIJ12',
    ];
    for (const text of others) assert.equal(idOf(text), null, text);
    assert.equal(idOf('1111252358', 'TeleService 1111252358'), null);
    const twice = { entries: [{ line: '240131D5,NTRF//MB170119012058' }] };
    const ids = (...messages: readonly MtMessage[]) =>
      entriesOf(mtText(...messages)).map(({ externalId }) => externalId);
    assert.deepEqual(ids(twice, twice), [null, null]);
    assert.deepEqual(ids(twice, { ...twice, account: '2' }), ['MB170119012058', 'MB170119012058']);
  });

  it('can be shown with other signs, and in an encoding of its country', () => {
    const text = mtText({ entries: [{ details: 'Żółw' }], closing: ':62F:C240131EUR95,' });
    const bytes = Buffer.from(text.replace('Żółw', '\xaf\xf3\xb3w'), 'latin1');
    const [entry] = entriesOf(bytes, { encoding: 'windows-1250', negate: true });
    assert.deepEqual([entry!.payee, entry!.amount], ['Żółw', 50_000]);
    assert.equal(entriesOf(bytes)[0]!.payee, '¯ó³w');
    assert.deepEqual(readStatement(sourceOf(bytes), { negate: true }).warnings, []);
  });

  it('has texts of statements that belong to no entry', () => {
    const text = mtText({
      opening: ':60F:C240101EUR100,00\n:86:about the account\n:NS:22Name\n23Other',
      entries: [
        {},
        { line: '240131D5,00NTRFNONREF\n:NS:01First\n02Second' },
        { details: 'a\n:86:b' },
      ],
    });
    assert.deepEqual(
      entriesOf(text).map(({ payee }) => payee),
      ['', 'First Second', 'a b'],
    );
  });
});

describe('an MT942 file', () => {
  const report = { opening: null, entries: [{ line: '240131C5,FTRFNONREF' }] };

  it('has pending entries in the currency of its floor limit or totals', () => {
    const statement = read(mtText({ ...report, rest: [':90D:0EUR0,', ':90C:1EUR5,'] }));
    const { format, accounts, warnings } = statement;
    assert.deepEqual([format, accounts[0]!.currency, warnings], ['mt942', 'eur', []]);
    const shown = [...statement.entries()].map(({ isPending, currency }) => [isPending, currency]);
    assert.deepEqual(shown, [[true, 'eur']]);
    const late = ':20:1\n:25:7\n:28C:1\n:61:240131C5,NTRF\n:90C:1PLN5,\n';
    const [entry] = entriesOf(late, { format: 'mt942' });
    assert.deepEqual([entry!.isPending, entry!.currency], [true, 'pln']);
    assert.equal(entriesOf(late, { format: 'mt940' })[0]!.isPending, undefined);
    const booked = mtText({ entries: [{}], rest: [':13D:2401311200'] });
    assert.equal(entriesOf(booked, { format: 'mt942' })[0]!.isPending, undefined);
    const header = `{1:F01X}{2:O9421200}{4:\n${late}-}`;
    assert.equal(entriesOf(header)[0]!.isPending, true);
  });

  it('may follow an MT940 in one file, and announce entries', () => {
    const text = mtText({ entries: [{}, { line: '240131ED5,NTRF' }] }, report);
    assert.deepEqual(
      entriesOf(text).map(({ isPending = false, amount }) => [isPending, amount]),
      [
        [false, -50_000],
        [true, -50_000],
        [true, 50_000],
      ],
    );
  });

  it('is warned about if it counts other entries', () => {
    assert.deepEqual(warningsOf({ ...report, rest: [':90D:0EUR0,', ':90C:2EUR10,'] }), [
      '8: The report has 2 credits, but 1 were found',
    ]);
  });
});

describe('an MT940 file with problems', () => {
  it('is refused with the line and value of each', () => {
    const lines = ['241331D5,00NTRF', '240131D5.0,0NTRF', '240131X5,00NTRF', '240131D5,12345NTRF'];
    const text = mtText({ entries: lines.map((line) => ({ line })) });
    assert.deepEqual(
      problemsOf(text).map(({ line, column, value, reason }) => [line, column, value, reason]),
      [
        [5, ':61:', '241331', 'Not a date'],
        [6, ':61:', '5.0,0', 'Not an amount'],
        [7, ':61:', lines[2], 'Not an entry with date, mark and amount'],
        [8, ':61:', '5,12345', 'More than 4 decimals'],
      ],
    );
    assert.equal(
      errorOf(mtText({ entries: [{ line: 'x' }] })).message.slice(0, 12),
      'Line 5, :61:',
    );
    const format = 'mt940';
    assert.deepEqual(reasonsOf(':61:240131D5,NTRF\n', { format }), ['1: Is outside a statement']);
    assert.deepEqual(reasonsOf('hello\n', { format }), ['1: File has no account statement']);
    const map = { date: '1' } as StatementOptions['map'] & object;
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
    ] as const) {
      assert.match(errorOf(endless(begin, repeated)).message, message);
    }
  });
});
