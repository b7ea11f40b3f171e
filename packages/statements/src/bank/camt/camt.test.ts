import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import type { Entry, StatementOptions } from '../../statement/statement.ts';
import {
  CAMT_ACCOUNT,
  camtBalance,
  camtDetail,
  camtDetails,
  camtEntry,
  camtStatement,
  camtText,
  type CamtElement,
} from '../../testing/camt-text.ts';
import {
  entriesOf,
  errorOf,
  leftOutOf,
  reasonsOf,
  shownOf,
  warningsOf,
  wholeOf,
} from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';

const textOf = (...entries: CamtElement[]): string =>
  camtText({ statements: [camtStatement(entries)] });
const entryOf = (more: CamtElement, options: StatementOptions = {}): Entry =>
  entriesOf(textOf(camtEntry(more)), options)[0]!;
const amount = (text: string, currency = 'EUR'): CamtElement => ({
  Amt: { '@Ccy': currency, '': text },
});

const fileOf = (...statements: CamtElement[]) => camtText({ statements });
const textOfEntry = (more: CamtElement) => textOf(camtEntry(more));
const textsOf = (detail: CamtElement, more: CamtElement = {}): string =>
  shownOf(textOfEntry({ ...more, ...camtDetails(detail) }), 'payee notes')[0]!;
const parties = (debtor: string, creditor: string): CamtElement => ({
  Dbtr: { Nm: debtor },
  Cdtr: { Nm: creditor },
});

describe('CAMT', () => {
  it('reads an entry with its account and balances', () => {
    const detail = camtDetail('5.00', {
      Refs: { EndToEndId: 'E2E' },
      RltdPties: { Dbtr: { Pty: { Nm: 'Me' } }, Cdtr: { Pty: { Nm: 'Corner  shop' } } },
      RmtInf: { Ustrd: ['Milk,', 'eggs'] },
    });
    const details = camtDetails(detail);
    const entry = camtEntry({ AcctSvcrRef: 'REF-12345', AddtlNtryInf: 'Card', ...details });
    const balances = { OPBD: '20', CLBD: '15.00', CLAV: '99' };
    const Bal = Object.entries(balances).map(([code, text]) => camtBalance(code, text));
    assert.deepEqual(wholeOf(camtText({ statements: [camtStatement([entry], { Bal })] })), [
      'format: camt | encoding: utf-8 | entryCount: 1 | leftOut: []',
      'name: Test bank account 2051 | id: DE02120300000000202051 | bankId: BYLADEM1001 | type: account | ' +
        'currency: eur | entryCount: 1 | ' +
        'balances: [[opening 200000 2024-01-31] [ledger 150000 2024-01-31] [available 990000 2024-01-31]]',
      'line: 57 | date: 2024-01-31 | amount: -50000 | currency: eur | payee: Corner shop | ' +
        'notes: Milk, eggs; Card | category: null | account: Test bank account 2051 | ' +
        'externalId: REF-12345 | bankId: [REF-12345 1 false]',
    ]);
  });

  it('reads all versions, messages and prefixes, in an envelope or not', () => {
    const statements = [camtStatement([camtEntry()])];
    for (let version = 2; version <= 13; version += 1)
      for (const kind of ['052', '053', '054'] as const)
        for (const prefix of ['', 'ns2:'])
          assert.equal(entriesOf(camtText({ kind, version, prefix, statements })).length, 1);
    const document = camtText({ prefix: 'a:', statements }, '');
    const header = `<x>${'<y/>'.repeat(3_000)}</x>`;
    const soap = `<s:Envelope xmlns:s="e"><s:Header>${header}</s:Header><s:Body>${document}</s:Body></s:Envelope>`;
    assert.equal(entriesOf(soap).length, 1);
    assert.equal(entriesOf(document.replace(/ xmlns[^>]*/, '')).length, 1);
    assert.equal(entriesOf(`\uFEFF\n \n${camtText({ statements })}`)[0]!.line, 23);
  });

  it('reads several documents in a row, and counts lines through them', () => {
    const first = textOf(camtEntry({ AcctSvcrRef: 'FIRST-1' }));
    const file = `${first}\n${textOf(camtEntry({ AcctSvcrRef: 'SECOND-2' }))}`;
    const lines = [21, 21 + first.split('\n').length];
    assert.deepEqual(shownOf(file, 'line externalId'), [
      `${lines[0]} | FIRST-1`,
      `${lines[1]} | SECOND-2`,
    ]);
  });

  it('reads booked, pending and future entries, and leaves out informational ones', () => {
    const codes = ['BOOK', 'PDNG', 'INFO'].flatMap((Cd) => [Cd, { Cd }]);
    const statuses = [...codes, { Cd: 'FUTR' }, { Prtry: 'ODD' }];
    const file = textOf(...statuses.map((Sts) => camtEntry({ Sts })));
    assert.deepEqual(shownOf(file, 'isPending'), ['-', '-', 'true', 'true', 'true', '-']);
    assert.deepEqual(leftOutOf(file), ['2 informational entry']);
    assert.deepEqual(warningsOf(file), ['89: Unknown status "ODD" is read as booked']);
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
    const amounts = { '8.850': 88_500, '200000': 2e9, '0.0001': 1, '12,34': 123_400, '.5': 5_000 };
    for (const [text, expected] of Object.entries(amounts))
      assert.equal(entryOf({ ...amount(text), CdtDbtInd: 'CRDT' }).amount, expected, text);
    const instructed = camtDetail('5', {
      AmtDtls: { InstdAmt: amount('7', 'USD'), TxAmt: amount('6') },
    });
    const read = shownOf(textOf(camtEntry(camtDetails(instructed))), 'amount currency');
    assert.deepEqual(read, ['-5 | eur']);
    assert.equal(entryOf(amount('5', 'SEK')).currency, 'sek');
    assert.equal(entryOf({ Amt: '5' }).currency, 'eur');
    assert.equal(entryOf({ Amt: '1,234' }, { decimal: 'comma' }).amount, -12_340);
  });

  it('takes the booking date, else the value date, a date of the payment, or that of the statement', () => {
    const zoned = { DtTm: '2024-02-29T23:30:00.000+01:00' };
    assert.equal(entryOf({ BookgDt: zoned }).date, '2024-02-29');
    assert.equal(entryOf({ BookgDt: { Dt: '2024-02-29+01:00' } }).date, '2024-02-29');
    assert.equal(entryOf({ BookgDt: {}, ValDt: { Dt: '2024-02-01' } }).date, '2024-02-01');
    const detail = camtDetail('5', { RltdDts: { AccptncDtTm: '2024-03-01T00:00:00' } });
    assert.equal(entryOf({ BookgDt: {}, ...camtDetails(detail) }).date, '2024-03-01');
    const opening = camtBalance('OPBD', '5', { Dt: { Dt: '2024-01-01' } });
    for (const [more, date] of [
      [{ CreDtTm: '2024-04-01T08:00:00Z' }, '2024-04-01'],
      [{ FrToDt: { FrDtTm: '2024-01-01T00:00:00', ToDtTm: '2024-01-31T23:59:59' } }, '2024-01-31'],
      [{ Bal: [opening, camtBalance('CLBD', '0')] }, '2024-01-31'],
    ] as const) {
      const file = camtText({ statements: [camtStatement([camtEntry({ BookgDt: {} })], more)] });
      assert.deepEqual(shownOf(file, 'date'), [date]);
      const said = `: Entry has no date: the date of its statement, ${date}`;
      assert.ok(warningsOf(file)[0]!.includes(said), warningsOf(file)[0]);
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

  it('keeps accounts of one file apart by number, currency and bank', () => {
    const accountsOf = (...statements: CamtElement[]) =>
      readStatement(sourceOf(camtText({ statements }))).accounts.map((account) =>
        [account.name, account.id, account.bankId, account.entryCount].join(' | '),
      );
    const other = (Id: CamtElement, more: CamtElement): CamtElement =>
      camtStatement([camtEntry()], { Acct: { Id, ...more } });
    const bank = (more: CamtElement): CamtElement => ({ Svcr: { FinInstnId: more } });
    const first = camtStatement([camtEntry()]);
    assert.deepEqual(
      accountsOf(
        first,
        camtStatement([], { Acct: { ...CAMT_ACCOUNT, Ccy: 'USD' } }),
        other({ Othr: { Id: '77' } }, { ...bank({ BIC: 'AAAABBCC' }), Nm: 'Savings' }),
        other({ Othr: { Id: '77' } }, bank({ ClrSysMmbId: { MmbId: '9' } })),
        other({ IBAN: 'de02 1203 0000 0000 2020 51' }, { Ccy: 'EUR' }),
      ),
      [
        'Test bank account EUR 2051 | DE02120300000000202051 | BYLADEM1001 | 1',
        'Test bank account USD 2051 | DE02120300000000202051 | BYLADEM1001 | 0',
        'Savings AAAABBCC 77 | 77 | AAAABBCC | 1',
        'Account 9 77 | 77 | 9 | 1',
      ],
    );
    const withoutCurrency = other({ IBAN: 'DE02120300000000202051' }, {});
    const shared = [withoutCurrency, camtStatement([camtEntry(), camtEntry()])];
    assert.match(accountsOf(...shared).join(), /^[^,]* \| DE02120300000000202051 \| [^,]* \| 3$/);
  });
});

describe('hostile CAMT', () => {
  const whole = camtText({ statements: [camtStatement([camtEntry()])] });
  const inEntry = (content: string): string => whole.replace('</Ntry>', `${content}</Ntry>`);

  it('refuses document types, entities, and what is too deep, long or much', () => {
    const doctype = '<!DOCTYPE Document [\n<!ENTITY x SYSTEM "file:///etc/passwd">]>\n';
    const long = 'y'.repeat(1_000_000);
    const attributes = (length: number): string =>
      `<X${Array.from({ length }, (_, at) => ` a${at}=""`).join('')}/>`;
    const notes = `<AddtlNtryInf>${'y'.repeat(60_000)}</AddtlNtryInf>`;
    const entries: [string, RegExp][] = [
      ['<X>&nbsp;</X>', /^Line 30: Document types and entities/],
      ['<a>'.repeat(61), /^Line 30: Tags are nested deeper than 64/],
      [`<X>${'y'.repeat(65_537)}</X>`, /^Line 30: Text, tag or comment is longer than 65536/],
      [`<X y="${long}"/>`, /^Line 30: Text, tag or comment is longer/],
      [`<!--${long}-->`, /Text, tag or comment is longer/],
      [`<${'y'.repeat(257)}/>`, /^Line 30: Tag is longer than 256/],
      [attributes(65), /^Line 30: Tag has more than 64 attributes/],
      [notes.repeat(20), /Text of one entry is longer than 1048576/],
      ['\0', /^Line 30: Not well-formed XML: disallowed character/],
      ['</X>', /^Line 30: Not well-formed XML: unexpected close tag/],
    ];
    const balances = whole.replace('</Stmt>', '<Bal></Bal>'.repeat(1_001) + '</Stmt>');
    const files: [string, RegExp][] = [
      [`${doctype}${inEntry('&x;').slice(22)}`, /^Line 1: Document types and entities are not/],
      [balances, /more than 1000 balances/],
      [whole.slice(0, -20), /^Line 32: File ends too early: unclosed tag/],
      [`${whole}x`, /Not well-formed XML: text data outside of root/],
    ];
    for (const [content, reason] of entries)
      assert.match(errorOf(inEntry(content)).message, reason);
    for (const [content, reason] of files) assert.match(errorOf(content).message, reason);
    for (const content of [
      `<X>${'y'.repeat(65_536)}</X>`,
      `<${'y'.repeat(256)}/>`,
      attributes(64),
      '<a>'.repeat(60) + '</a>'.repeat(60),
    ])
      assert.equal(entriesOf(inEntry(content)).length, 1);
  });

  it('refuses the same with the same line, from any chunks', () => {
    for (const content of ['<a>'.repeat(70), '</X>', '&x;', '\0', `<X>${'y'.repeat(70_000)}</X>`]) {
      const messages = [7, 1_000, 65_536].map(
        (size) => errorOf(sourceOf(inEntry(content), size)).message,
      );
      assert.equal(new Set(messages).size, 1, messages.join('\n'));
    }
  });
});

describe('payee and notes of CAMT', () => {
  it('are the other party, and what the payment is for', () => {
    const RltdPties = parties('Payer', 'Payee');
    assert.equal(textsOf({ RltdPties }), 'Payee | -');
    assert.equal(textsOf({ RltdPties }, { CdtDbtInd: 'CRDT' }), 'Payer | -');
    const ultimate = { Cdtr: { Nm: 'NOTPROVIDED' }, UltmtCdtr: { Pty: { Nm: 'Shop' } } };
    assert.equal(textsOf({ RltdPties: ultimate }), 'Shop | -');
    const both = { Cdtr: { Nm: 'PayPal' }, UltmtCdtr: { Nm: 'Shop' } };
    assert.equal(textsOf({ RltdPties: both }), 'PayPal | Shop');
    const agent = { Cdtr: { Agt: { FinInstnId: { Nm: 'A bank' } } } };
    assert.equal(textsOf({ RltdPties: agent }), 'A bank | -');
  });

  it('are other texts if there is no name, each once', () => {
    const references = [
      { CdtrRefInf: { Ref: 'RF18' } },
      { CdtrRefInf: { Ref: 'RF19' }, AddtlRmtInf: '?REJECT?0' },
    ];
    const RmtInf = { Ustrd: 'Rent', Strd: references };
    assert.equal(textsOf({ RmtInf }, { AddtlNtryInf: 'Transfer' }), 'Transfer | Rent; RF18 RF19');
    assert.equal(textsOf({ RmtInf }), 'Rent | RF18 RF19');
    assert.equal(textsOf({ AddtlTxInf: 'Fee' }), 'Fee | -');
    assert.equal(textsOf({ RltdPties: parties('', 'Rent'), RmtInf }), 'Rent | RF18 RF19');
    assert.equal(textsOf({ RmtInf: { Ustrd: 'Not provided' } }), ' | -');
    assert.deepEqual(shownOf(textOfEntry({}), 'payee notes'), [' | -']);
  });

  it('give the number of the account on the other side, and never the own one', () => {
    const numberOf = (RltdPties: CamtElement, more: CamtElement = {}): string =>
      shownOf(textOfEntry({ ...more, ...camtDetails({ RltdPties }) }), 'otherAccount')[0]!;
    const own = { Id: { IBAN: 'DE02120300000000202051' } };
    const other = { Id: { IBAN: 'GB33 BUKB 2020 1555 5555 55' } };
    const both = { DbtrAcct: own, CdtrAcct: other };
    assert.equal(numberOf(both), 'GB33BUKB20201555555555');
    assert.equal(numberOf(both, { CdtDbtInd: 'CRDT' }), 'GB33BUKB20201555555555');
    assert.equal(numberOf({ CdtrAcct: { Id: { Othr: { Id: '1234' } } } }), '1234');
    assert.equal(numberOf({ DbtrAcct: own }), numberOf({}));
  });

  it('name the party that is not the owner when money returns', () => {
    const CdtrAcct = { Id: { IBAN: 'DE02120300000000202051' } };
    const RltdPties = { ...parties('Customer', 'Owner'), CdtrAcct };
    const RtrInf = { Rsn: { Cd: 'MD06' }, AddtlInf: 'Disputed' };
    assert.equal(textsOf({ RltdPties, RtrInf }), 'Customer | Disputed');
    assert.equal(textsOf({ RltdPties }, { RvslInd: 'true' }), 'Customer | -');
    assert.equal(textsOf({ RltdPties }), 'Owner | -');
    const reversed = { RltdPties: { Dbtr: { Nm: 'Customer' } }, RmtInf: { Ustrd: 'Bill 7' } };
    assert.equal(textsOf(reversed, { RvslInd: 'true' }), 'Customer | Bill 7');
    const only = { RltdPties: { Dbtr: { Nm: 'Customer' } }, RtrInf };
    assert.equal(textsOf(only, { AddtlNtryInf: 'Return' }), 'Return | Disputed; Customer');
    const unknown = { RltdPties: parties('One', 'Two') };
    assert.equal(textsOf(unknown, { RvslInd: 'true' }), 'One | -');
    assert.equal(textsOf(unknown, { CdtDbtInd: 'CRDT', RvslInd: 'true' }), 'Two | -');
    assert.equal(textsOf({ ...unknown, RtrInf }), 'Two | Disputed; One');
    const owners = { ...parties('Owner', 'Shop'), DbtrAcct: CdtrAcct };
    assert.equal(textsOf({ RltdPties: owners }, { RvslInd: 'true' }), 'Shop | -');
  });
});

describe('batches of CAMT', () => {
  const two = (first: string, second: string, more: CamtElement = {}): string =>
    textOfEntry({
      AddtlNtryInf: 'Salaries',
      ...camtDetails(
        camtDetail(first, { RltdPties: parties('Me', 'Anna'), ...more }),
        camtDetail(second, { RltdPties: parties('Me', 'Ben'), RmtInf: { Ustrd: 'May' } }),
      ),
    });
  const credit = { CdtDbtInd: 'CRDT' };

  it('are one entry with a part for each payment, if they total the entry', () => {
    assert.deepEqual(shownOf(two('3.50', '1.50'), 'amount payee notes parts'), [
      '-5 | Anna | Salaries; Batch of 2 payments | -3.5 Anna - -, -1.5 Ben May -',
    ]);
  });

  it('have signs of their own, unless those contradict the entry', () => {
    assert.deepEqual(shownOf(two('2', '7'), 'parts'), ['-']);
    assert.deepEqual(shownOf(two('2', '7', credit), 'parts'), ['2 Anna - -, -7 Ben May -']);
    const both = textOfEntry(camtDetails(camtDetail('2', credit), camtDetail('3', credit)));
    assert.deepEqual(shownOf(both, 'parts'), ['-2  - -, -3  - -']);
  });

  it('remain whole if amounts are missing, in another currency, or too many', () => {
    const foreign = { Amt: { '@Ccy': 'USD', '': '3.50' } };
    assert.deepEqual(shownOf(two('3.50', '1.50', foreign), 'parts'), ['-']);
    const transaction = { ...foreign, AmtDtls: { TxAmt: { Amt: { '@Ccy': 'EUR', '': '3.50' } } } };
    assert.equal(entriesOf(two('3.50', '1.50', transaction))[0]!.parts?.length, 2);
    assert.equal(entryOf(camtDetails({}, {})).parts, undefined);
    const many = (count: number): CamtElement => ({
      Amt: { '@Ccy': 'EUR', '': String(count / 100) },
      ...camtDetails(...Array.from({ length: count }, () => camtDetail('0.01'))),
    });
    assert.equal(entryOf(many(500)).parts?.length, 500);
    const whole = shownOf(textOfEntry(many(501)), 'parts notes amount');
    assert.deepEqual(whole, ['- | Batch of 501 payments | -5.01']);
  });
});

describe('ids of CAMT', () => {
  const ref = (AcctSvcrRef: string, more: CamtElement = {}) => camtEntry({ AcctSvcrRef, ...more });
  const count = (...statements: CamtElement[]) => entriesOf(fileOf(...statements)).length;

  it('are the reference of the bank, of the entry or its only detail', () => {
    const refs = (text: CamtElement) => camtDetails(camtDetail('5', { Refs: text }));
    const own = refs({ AcctSvcrRef: 'DETAIL-1', EndToEndId: 'E1', TxId: 'T1' });
    assert.equal(entryOf({ AcctSvcrRef: 'ENTRY-1', ...own }).externalId, 'ENTRY-1');
    assert.equal(entryOf({ NtryRef: 'N1', ...own }).externalId, 'DETAIL-1');
    for (const none of ['NONREF', 'NOTPROVIDED', '0', '000', '17', '-'])
      assert.equal(entryOf({ AcctSvcrRef: none, ...own }).externalId, 'DETAIL-1', none);
    const row = { Prtry: { Tp: 'FI-UMSATZ-ID', Ref: '2024-01-31-08' } };
    assert.equal(entryOf({ AcctSvcrRef: 'NONREF', ...refs(row) }).externalId, '2024-01-31-08');
    assert.equal(entryOf(refs({ EndToEndId: 'E1', TxId: 'T1' })).externalId, null);
    const several = ['D1', 'D2'].map((id) => camtDetail('2.50', { Refs: { AcctSvcrRef: id } }));
    assert.equal(entryOf(camtDetails(...several)).externalId, null);
  });

  it('stay different when the bank repeats one', () => {
    const fee = ref('REF-12345', { AddtlNtryInf: 'Fee' });
    const file = fileOf(camtStatement([ref('REF-12345'), ref('REF-12345'), fee]));
    const ids = shownOf(file, 'externalId');
    assert.equal(new Set(ids).size, 3);
    assert.ok(ids.every((id) => id.startsWith('REF-12345')));
  });

  it('leave out entries that a later report repeats, with ids or without', () => {
    const report = (...entries: CamtElement[]) =>
      camtStatement(entries, { Id: `R${entries.length}` });
    const first = [ref('REF-1AAAA'), camtEntry()];
    const reports = [report(...first), report(...first, camtEntry())];
    const file = camtText({ kind: '052', statements: reports });
    assert.deepEqual(leftOutOf(file), ['2 repetition of an entry']);
    assert.equal(entriesOf(file).length, 3);
  });

  it('keep equal entries of statements that continue each other, and of pages', () => {
    const chain = (Id: string, opening: string, closing: string, Dt: string) => {
      const Bal = [camtBalance('OPBD', opening), camtBalance('CLBD', closing, { Dt: { Dt } })];
      return camtStatement([camtEntry()], { Id, Bal });
    };
    const first = chain('A', '20', '15', '2024-01-30');
    assert.equal(count(first, chain('B', '15', '10', '2024-01-31')), 2);
    assert.equal(count(first, chain('B', '20', '15', '2024-01-30')), 1);
    assert.equal(count(first, first), 1);
    const page = (PgNb: string) =>
      camtStatement([camtEntry()], { Id: 'S', StmtPgntn: { PgNb }, Acct: CAMT_ACCOUNT });
    assert.deepEqual([count(page('1'), page('2')), count(page('1'), page('1'))], [2, 1]);
  });

  it('do not let a pending entry replace a booked one', () => {
    const pending = camtStatement([ref('REF-12345', { Sts: { Cd: 'PDNG' } })], { Id: 'A' });
    const file = fileOf(pending, camtStatement([ref('REF-12345')], { Id: 'B' }));
    assert.deepEqual(shownOf(file, 'isPending externalId'), ['true | REF-12345', '- | REF-12345']);
  });
});

describe('balances of CAMT', () => {
  const warned = (Bal: CamtElement[], ...entries: CamtElement[]) =>
    warningsOf(fileOf(camtStatement(entries, { Bal })));
  const pending = camtEntry({ Sts: { Cd: 'PDNG' } });

  it('are checked with the booked entries, and a difference is a warning', () => {
    const closing = camtBalance('CLBD', '2', { CdtDbtInd: 'DBIT' });
    const right = [camtBalance('OPBD', '3'), closing];
    assert.deepEqual(warned(right, camtEntry(), pending), []);
    assert.deepEqual(warned([camtBalance('PRCD', '3'), closing], camtEntry()), []);
    assert.match(
      warned(right).join(),
      /: The balance changes from 3.0000 to -2.0000, but the booked entries differ from that by -5.0000$/,
    );
    assert.equal(warned(right, camtEntry(), camtEntry()).length, 1);
  });

  it('are not checked where they cannot be', () => {
    const foreign = camtEntry({ Amt: { '@Ccy': 'SEK', '': '9' } });
    const opening = camtBalance('OPBD', '3');
    const closing = camtBalance('CLBD', '3');
    assert.deepEqual(warned([opening, closing], foreign), []);
    assert.deepEqual(warned([opening, closing], foreign, camtEntry()), []);
    assert.deepEqual(warned([opening], camtEntry()), []);
    assert.deepEqual(warned([camtBalance('ITBD', '3'), camtBalance('FWAV', '9')], camtEntry()), []);
    assert.deepEqual(warned([camtBalance('OPBD', 'x'), closing]), []);
  });
});
