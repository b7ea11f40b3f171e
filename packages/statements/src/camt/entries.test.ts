import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Entry } from '../statement.ts';
import {
  CAMT_ACCOUNT,
  camtBalance,
  camtDetail,
  camtDetails,
  camtEntry,
  camtStatement,
  camtText,
  type CamtElement,
} from '../testing/camt-text.ts';
import { entriesOf, leftOutOf, shownOf, warningsOf } from '../testing/reading.ts';

const fileOf = (...statements: CamtElement[]) => camtText({ statements });
const entryText = (more: CamtElement) => fileOf(camtStatement([camtEntry(more)]));
const entryOf = (more: CamtElement): Entry => entriesOf(entryText(more))[0]!;
const textsOf = (detail: CamtElement, more: CamtElement = {}): string =>
  shownOf(entryText({ ...more, ...camtDetails(detail) }), 'payee notes')[0]!;
const parties = (debtor: string, creditor: string): CamtElement => ({
  Dbtr: { Nm: debtor },
  Cdtr: { Nm: creditor },
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
    assert.deepEqual(shownOf(entryText({}), 'payee notes'), [' | -']);
  });

  it('name the party that is not the owner when money returns', () => {
    const CdtrAcct = { Id: { IBAN: 'DE02120300000000202051' } };
    const RltdPties = { ...parties('Customer', 'Owner'), CdtrAcct };
    const RtrInf = { Rsn: { Cd: 'MD06' }, AddtlInf: 'Disputed' };
    assert.equal(textsOf({ RltdPties, RtrInf }), 'Customer | Disputed');
    assert.equal(textsOf({ RltdPties }, { RvslInd: 'true' }), 'Customer | -');
    assert.equal(textsOf({ RltdPties }), 'Owner | -');
    const only = { RltdPties: { Dbtr: { Nm: 'Customer' } }, RtrInf };
    assert.equal(textsOf(only, { AddtlNtryInf: 'Return' }), 'Return | Disputed; Customer');
  });
});

describe('batches of CAMT', () => {
  const two = (first: string, second: string, more: CamtElement = {}): string =>
    entryText({
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
    const both = entryText(camtDetails(camtDetail('2', credit), camtDetail('3', credit)));
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
    const whole = shownOf(entryText(many(501)), 'parts notes amount');
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
