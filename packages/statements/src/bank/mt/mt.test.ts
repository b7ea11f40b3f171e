import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../../read-statement.ts';
import { mtText, type MtMessage } from '../../testing/mt-text.ts';
import {
  entriesOf,
  errorOf,
  problemsOf,
  reasonsOf,
  shownOf,
  warningsOf,
  wholeOf,
} from '../../testing/reading.ts';
import { sourceOf } from '../../testing/sources.ts';
import { textsOf } from './read-mt.ts';
import { parseLine } from './statements.ts';

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
    assert.deepEqual(wholeOf(text), [
      'format: mt940 | encoding: utf-8 | entryCount: 1 | leftOut: [] | warnings: []',
      'name: Account 4567 | id: 1234567 | bankId: 10020030 | type: account | currency: eur | entryCount: 1 | ' +
        'balances: [[opening 1000000 2024-01-01] [ledger -11345000 2024-01-31] [available -11345000 2024-01-31]]',
      'line: 5 | date: 2024-01-31 | amount: -12345000 | currency: eur | payee: Anna | notes: Miete | ' +
        'category: null | account: Account 4567 | externalId: 0724710345313905 | ' +
        'bankId: [0724710345313905 1 false]',
    ]);
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
    assert.deepEqual(problemsOf(linesText(...lines)), [
      '5 :61: 241331: Not a date',
      '6 :61: 5.0,0: Not an amount',
      '7 :61: 240131X5,00NTRF: Not an entry with date, mark and amount',
      '8 :61: 5,12345: More than 4 decimals',
    ]);
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

const DEBIT = '2401310131D5,00NTRFNONREF';
const CREDIT = '2401310131C5,00NTRFNONREF';

/** Asserts that an `:86:` gives `payee | notes`. */
function gives(text: string, wanted: string, line = DEBIT): void {
  const { payee, notes } = textsOf(
    text === '' ? [] : text.split('\n'),
    parseLine(line.split('\n'))!,
  );
  assert.equal(`${payee} | ${notes ?? '-'}`, wanted, text);
}

it('a structured :86: has the name and the purpose, with any mark, broken anywhere', () => {
  for (const mark of ['?', '<', '>', '~', '^', '|', '/']) {
    const text = `166?00GUTSCHRIFT?109310?20EREF+R1?21SVWZ+Miete Jan\nuar?30ABCDEFFF?31DE0012?32Anna Bei?33spiel`;
    gives(text.replaceAll('?', mark), 'Anna Bei spiel | Miete Januar');
  }
  const polish = ' 020~00B001~20Za prad 05/2024~21 ~30114~31000~32ENERGIA SA~33UL. MALA 1~38PL00';
  gives(polish, 'ENERGIA SA UL. MALA 1 | Za prad 05/2024');
  gives('000>100987\n>20HUUR VAN KANTOOR>21 MAART', 'HUUR VAN KANTOOR MAART | -');
});

it('parts of 27 characters are joined without a space, and lines of 65', () => {
  const full = 'Verwendungszweck mit 27 Zei';
  const text = `105?00LASTSCHRIFT?20SVWZ+${full.slice(0, 22)}?21${full}?22chen?32Stadtwerke`;
  const wanted = `Stadtwerke | ${full.slice(0, 22)}${full}chen`;
  gives(text, wanted);
  gives(`${text.slice(0, 65)}\n${text.slice(65)}`, wanted);
  const name = 'N'.repeat(27);
  gives(`105?20SVWZ+Rechnung 17 vom?32${name}?33ame AG\n?34000`, `${name}ame AG | Rechnung 17 vom`);
});

it('SEPA tags may be broken between parts, and continue in parts 60 to 63', () => {
  gives(
    '835?20Cie., S.C.A.?21SEPA-BASISLASTSCHRIFT?24CRED+ AB12CDE000000000000 S?25VWZ+ Abo Mai?60plus?32Shop',
    'Shop | Abo Mai plus',
  );
  gives('105?20SVWZ+Strom EREF: 12 IBAN: DE00?32Werk', 'Werk | Strom');
});

it('other texts are used if there is no name or no purpose', () => {
  gives('805?00ENTGELT?20Pauschalen', 'ENTGELT | Pauschalen');
  gives('105?00KARTE?20EREF+R77 MREF+M1', 'KARTE | EREF+R77 MREF+M1');
  gives('105?00KARTE?20EREF+NOTPROVIDED', 'KARTE | -');
  gives('105?20SVWZ+x?21ABWA+Laden 7', 'Laden 7 | x');
  gives('008?00DAUERAUFTRAG?32MUELLER', 'MUELLER | DAUERAUFTRAG');
});

it('code words of Dutch, Belgian and Swiss banks are read, and no other slashes', () => {
  const first = '/TRTP/SEPA OVERBOEKING/IBAN/NL00BANK0123456789/BIC/BANKNL2A/NAME/J';
  assert.equal(first.length, 66);
  gives(`${first}\nANSEN BV/REMI/FACTUUR 12/34/EREF/NOTPROVIDED`, 'JANSEN BV | FACTUUR 12/34');
  gives(
    '/EREF/E1//CNTP/NL00BANK0123456789/BANKNL2A/De Bakker/DELFT//REMI/USTD//Brood 7/',
    'De Bakker | Brood 7',
  );
  gives('/CNTP/NL00/B/Water NV//REMI/STRD/CUR/9001/', 'Water NV | 9001');
  const both = '/EREF/1/ORDP//NAME/Payer/BENM//NAME/Taker/REMI/Rent';
  gives(both, 'Taker | Rent');
  gives(both, 'Payer | Rent', CREDIT);
  gives('/CT/ORDP/Muster AG/REMI/Lohn', 'Muster AG | Lohn', CREDIT);
  gives('/TRTP/RENTE/ISDT/2024-01-01', 'RENTE | -');
  gives('/ABC/def', '/ABC/def | -');
  gives('BEA 12/34/NAME', 'BEA 12/34/NAME | -');
});

it('an :86: without structure is the payee, or has a name behind a label', () => {
  gives('GIRO  428 KPN\nFACTUUR   7', 'GIRO 428 KPN FACTUUR 7 | -');
  gives('999PN5477SCHECK-NR. 0123', 'SCHECK-NR. 0123 | -');
  gives('123/45 EUR', '123/45 EUR | -');
  const text = 'SEPA OVERBOEKING   IBAN: NL00\nBIC: BANKNL2A   NAAM: Foo BV\nOMSCHRIJVING: Huur';
  const whole = 'SEPA OVERBOEKING IBAN: NL00 BIC: BANKNL2A NAAM: Foo BV OMSCHRIJVING: Huur';
  gives(text, `Foo BV | ${whole}`);
  gives('REK: NL00/NAAM: Bar KENMERK: 7', 'Bar | REK: NL00/NAAM: Bar KENMERK: 7');
});

it('the :61: replaces a missing :86:, and adds a cheque and its second line', () => {
  gives('', 'Shop 17 | -', '240131D5,00NTRFShop 17');
  gives('', 'CARD PURCHASE | -', '240131D5,00NTRFNONREF\nCARD PURCHASE');
  gives('', ' | -');
  gives('Scheck', 'Scheck | No. 1042', '240131D5,00NCHK1042');
  const card = '240131D5,00FMSCNONREF//8327000090031789\nCard transaction';
  gives('020?20Kawa?32Bar', 'Bar | Kawa; Card transaction', card);
  for (const code of ['/TRCD/00100/', 'NL00BANK0123456789', '0012'])
    gives('x', 'x | -', `240131D5,00NTRFNONREF\n${code}`);
});
