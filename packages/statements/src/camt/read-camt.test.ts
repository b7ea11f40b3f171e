import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
import type { Entry, StatementOptions } from '../statement.ts';
import {
  CAMT_ACCOUNT,
  camtBalance,
  camtDetail,
  camtDetails,
  camtEntry,
  camtStatement,
  camtText,
  type CamtElement,
  type CamtFile,
} from '../testing/camt-text.ts';
import { entriesOf, reasonsOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

function textOf(...entries: CamtElement[]): string {
  return camtText({ statements: [camtStatement(entries)] });
}

function entryOf(more: CamtElement, options: StatementOptions = {}): Entry {
  const [entry] = entriesOf(textOf(camtEntry(more)), options);
  return entry!;
}

function read(file: CamtFile) {
  const statement = readStatement(sourceOf(camtText(file)));
  return { ...statement, all: [...statement.entries()] };
}

const party = (name: string): CamtElement => ({ Pty: { Nm: name } });
const amount = (text: string, currency = 'EUR'): CamtElement => ({
  Amt: { '@Ccy': currency, '': text },
});

describe('CAMT', () => {
  it('reads an entry with its account and balances', () => {
    const detail = camtDetail('5.00', {
      Refs: { EndToEndId: 'E2E' },
      RltdPties: { Dbtr: party('Me'), Cdtr: party('Corner  shop') },
      RmtInf: { Ustrd: ['Milk,', 'eggs'] },
    });
    const entry = camtEntry({
      AcctSvcrRef: 'REF-12345',
      AddtlNtryInf: 'Card',
      ...camtDetails(detail),
    });
    const balances = [
      camtBalance('OPBD', '20'),
      camtBalance('CLBD', '15.00'),
      camtBalance('CLAV', '99'),
    ];
    const { all, accounts, ...statement } = read({
      statements: [camtStatement([entry], { Bal: balances })],
    });
    assert.deepEqual(
      { ...statement, entries: null },
      { format: 'camt', encoding: 'utf-8', entryCount: 1, leftOut: [], entries: null },
    );
    assert.deepEqual(all, [
      {
        line: 57,
        date: '2024-01-31',
        amount: -50_000,
        currency: 'eur',
        payee: 'Corner shop',
        notes: 'Milk, eggs; Card',
        category: null,
        account: 'Test bank account 2051',
        externalId: 'REF-12345',
        bankId: { id: 'REF-12345', nth: 1, isRepeated: false },
      },
    ]);
    const date = '2024-01-31';
    assert.deepEqual(accounts, [
      {
        name: 'Test bank account 2051',
        id: 'DE02120300000000202051',
        bankId: 'BYLADEM1001',
        type: 'account',
        currency: 'eur',
        entryCount: 1,
        balances: [
          { kind: 'opening', amount: 200_000, date },
          { kind: 'ledger', amount: 150_000, date },
          { kind: 'available', amount: 990_000, date },
        ],
      },
    ]);
  });

  it('reads all versions, messages and prefixes, in an envelope or not', () => {
    const statements = [camtStatement([camtEntry()])];
    for (let version = 2; version <= 13; version += 1) {
      for (const kind of ['052', '053', '054'] as const) {
        for (const prefix of ['', 'ns2:']) {
          assert.equal(entriesOf(camtText({ kind, version, prefix, statements })).length, 1);
        }
      }
    }
    const document = camtText({ prefix: 'a:', statements }, '');
    const header = `<x>${'<y/>'.repeat(3_000)}</x>`;
    const soap = `<s:Envelope xmlns:s="e"><s:Header>${header}</s:Header><s:Body>${document}</s:Body></s:Envelope>`;
    assert.equal(entriesOf(soap).length, 1);
    assert.equal(entriesOf(document.replace(/ xmlns[^>]*/, '')).length, 1);
    assert.equal(entriesOf(`\uFEFF\n \n${camtText({ statements })}`)[0]!.line, 23);
  });

  it('reads several documents in a row, and counts lines through them', () => {
    const first = textOf(camtEntry({ AcctSvcrRef: 'FIRST-1' }));
    const second = textOf(camtEntry({ AcctSvcrRef: 'SECOND-2' }));
    const entries = entriesOf(`${first}\n${second}`);
    assert.deepEqual(
      entries.map(({ externalId }) => externalId),
      ['FIRST-1', 'SECOND-2'],
    );
    assert.equal(entries[1]!.line, entries[0]!.line + first.split('\n').length);
  });

  it('reads booked, pending and future entries, and leaves out informational ones', () => {
    const statuses = [
      'BOOK',
      { Cd: 'BOOK' },
      'PDNG',
      { Cd: 'PDNG' },
      { Cd: 'FUTR' },
      'INFO',
      { Cd: 'INFO' },
    ];
    const { all, leftOut, warnings } = read({
      statements: [camtStatement([...statuses, { Prtry: 'ODD' }].map((Sts) => camtEntry({ Sts })))],
    });
    assert.deepEqual(
      all.map(({ isPending }) => isPending === true),
      [false, false, true, true, true, false],
    );
    assert.deepEqual(leftOut, [{ what: 'informational entry', count: 2 }]);
    assert.deepEqual(warnings, [{ line: 89, text: 'Unknown status "ODD" is read as booked' }]);
  });

  it('signs by the direction, also of reversals, and never returns -0', () => {
    assert.equal(entryOf({ CdtDbtInd: 'CRDT' }).amount, 50_000);
    assert.equal(entryOf({ CdtDbtInd: 'CRDT', RvslInd: 'true' }).amount, 50_000);
    assert.equal(entryOf({ RvslInd: 'true' }).amount, -50_000);
    assert.equal(entryOf({}, { negate: true }).amount, 50_000);
    assert.ok(Object.is(entryOf(amount('0.00')).amount, 0));
    assert.equal(entryOf(amount('-5.00')).amount, -50_000);
    assert.deepEqual(reasonsOf(textOf(camtEntry({ ...amount('-5'), CdtDbtInd: 'CRDT' }))), [
      '22: Is negative, but its direction is CRDT',
    ]);
  });

  it('reads amounts exactly, in the currency of the entry', () => {
    for (const [text, expected] of [
      ['8.850', 88_500],
      ['200000', 2_000_000_000],
      ['0.0001', 1],
      ['12,34', 123_400],
      ['.5', 5_000],
    ] as const) {
      assert.equal(entryOf({ ...amount(text), CdtDbtInd: 'CRDT' }).amount, expected, text);
    }
    const instructed = camtDetail('5', {
      AmtDtls: { InstdAmt: amount('7', 'USD'), TxAmt: amount('6') },
    });
    assert.deepEqual(
      [entryOf(camtDetails(instructed)).amount, entryOf(camtDetails(instructed)).currency],
      [-50_000, 'eur'],
    );
    assert.equal(entryOf(amount('5', 'SEK')).currency, 'sek');
    assert.equal(entryOf({ Amt: '5' }).currency, 'eur');
    assert.equal(entryOf({ Amt: '1,234' }, { decimal: 'comma' }).amount, -12_340);
  });

  it('is read in the encoding that it has, whatever it declares', () => {
    for (const declared of ['UTF-8', 'UTF-16', 'ISO-8859-1', 'windows-1251']) {
      const declaration = `<?xml version="1.0" encoding="${declared}"?>\n`;
      const entry = camtEntry({ AddtlNtryInf: 'Müller' });
      const text = camtText({ statements: [camtStatement([entry])] }, declaration);
      for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
        assert.equal(entriesOf(bytes)[0]!.payee, 'Müller', declared);
      }
      const latin1 = readStatement(sourceOf(Buffer.from(text, 'latin1')));
      const isCyrillic = declared === 'windows-1251';
      assert.equal([...latin1.entries()][0]!.payee, isCyrillic ? 'Mьller' : 'Müller');
    }
  });

  it('takes the booking date, else the value date, a date of the payment, or that of the statement', () => {
    const dates = { Dt: { DtTm: '2024-02-29T23:30:00.000+01:00' } };
    assert.equal(entryOf({ BookgDt: dates.Dt }).date, '2024-02-29');
    assert.equal(entryOf({ BookgDt: { Dt: '2024-02-29+01:00' } }).date, '2024-02-29');
    assert.equal(entryOf({ BookgDt: {}, ValDt: { Dt: '2024-02-01' } }).date, '2024-02-01');
    const detail = camtDetail('5', { RltdDts: { AccptncDtTm: '2024-03-01T00:00:00' } });
    assert.equal(entryOf({ BookgDt: {}, ...camtDetails(detail) }).date, '2024-03-01');
    const { all, warnings } = read({
      statements: [
        camtStatement([camtEntry({ BookgDt: {} })], { CreDtTm: '2024-04-01T08:00:00Z' }),
      ],
    });
    assert.equal(all[0]!.date, '2024-04-01');
    assert.match(warnings![0]!.text, /^Entry has no date: the date of its statement, 2024-04-01/);
    for (const more of [
      { FrToDt: { FrDtTm: '2024-01-01T00:00:00', ToDtTm: '2024-01-31T23:59:59' } },
      { Bal: [camtBalance('OPBD', '5', { Dt: { Dt: '2024-01-01' } }), camtBalance('CLBD', '0')] },
    ]) {
      const undated = read({ statements: [camtStatement([camtEntry({ BookgDt: {} })], more)] });
      assert.equal(undated.all[0]!.date, '2024-01-31');
      assert.match(undated.warnings![0]!.text, /^Entry has no date: /);
    }
  });

  it('names every invalid value with its line', () => {
    const text = textOf(
      camtEntry({ BookgDt: { Dt: '2024-02-30' } }),
      camtEntry({ ...amount('five'), CdtDbtInd: 'UP' }),
      camtEntry({ Amt: {}, CdtDbtInd: {}, BookgDt: {} }),
      camtEntry(amount('1.23456', 'EURO')),
      camtEntry(amount('1,234')),
    );
    assert.deepEqual(reasonsOf(text), [
      '28: Not a date',
      '32: Not an amount',
      '33: Neither CRDT nor DBIT',
      '41: Entry has no date',
      '41: Entry has no direction',
      '41: Entry has no amount',
      '53: Not a currency code of three letters',
      '53: More than 4 decimals',
      '63: "," may separate thousands or decimals: specify the decimal sign',
    ]);
    assert.deepEqual(reasonsOf('<Document xmlns="x:xsd:camt.053.001.02"><Ntry/></Document>'), [
      '1: Is outside a statement',
    ]);
    const empty = camtText({ statements: [] });
    assert.deepEqual(reasonsOf(empty), ['1: File has no account statement']);
    assert.match(reasonsOf(empty, { map: {} })[0]!, /column map is for CSV/);
  });

  it('reads statements without entries', () => {
    const { all, accounts } = read({ statements: [camtStatement([])] });
    assert.deepEqual([all.length, accounts[0]!.entryCount], [0, 0]);
  });

  it('keeps accounts of one file apart by number, currency and bank', () => {
    const other = (id: CamtElement, more: CamtElement = {}): CamtElement =>
      camtStatement([camtEntry()], { Acct: { Id: id, ...more } });
    const { accounts, all } = read({
      statements: [
        camtStatement([camtEntry()]),
        camtStatement([], { Acct: { ...CAMT_ACCOUNT, Ccy: 'USD' } }),
        other({ Othr: { Id: '77' } }, { Svcr: { FinInstnId: { BIC: 'AAAABBCC' } }, Nm: 'Savings' }),
        other({ Othr: { Id: '77' } }, { Svcr: { FinInstnId: { ClrSysMmbId: { MmbId: '9' } } } }),
        other({ IBAN: 'de02 1203 0000 0000 2020 51' }, { Ccy: 'EUR' }),
      ],
    });
    assert.deepEqual(
      accounts.map(({ name, id, bankId, entryCount }) => [name, id, bankId, entryCount]),
      [
        ['Test bank account EUR 2051', 'DE02120300000000202051', 'BYLADEM1001', 1],
        ['Test bank account USD 2051', 'DE02120300000000202051', 'BYLADEM1001', 0],
        ['Savings AAAABBCC 77', '77', 'AAAABBCC', 1],
        ['Account 9 77', '77', '9', 1],
      ],
    );
    assert.equal(all.length, 3);
    const shared = read({
      statements: [
        camtStatement([camtEntry()], { Acct: { Id: CAMT_ACCOUNT['Id']! } }),
        camtStatement([camtEntry(), camtEntry()]),
      ],
    });
    assert.deepEqual(
      shared.accounts.map(({ id, currency, entryCount }) => [id, currency, entryCount]),
      [['DE02120300000000202051', 'eur', 3]],
    );
  });
});
