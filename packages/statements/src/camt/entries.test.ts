import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatement } from '../read-statement.ts';
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
import { entriesOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

const OWN_IBAN = { Id: { IBAN: 'DE02120300000000202051' } };

function entriesIn(...statements: CamtElement[]): Entry[] {
  return entriesOf(camtText({ statements }));
}

function entryOf(more: CamtElement): Entry {
  return entriesIn(camtStatement([camtEntry(more)]))[0]!;
}

/** Payee and notes of an entry with one detail. */
function textsOf(detail: CamtElement, more: CamtElement = {}): [string, string | null] {
  const { payee, notes } = entryOf({ ...more, ...camtDetails(detail) });
  return [payee, notes];
}

const parties = (debtor: string, creditor: string): CamtElement => ({
  Dbtr: { Nm: debtor },
  Cdtr: { Nm: creditor },
});

describe('payee and notes of CAMT', () => {
  it('are the other party, and what the payment is for', () => {
    const RltdPties = parties('Payer', 'Payee');
    assert.deepEqual(textsOf({ RltdPties }), ['Payee', null]);
    assert.deepEqual(textsOf({ RltdPties }, { CdtDbtInd: 'CRDT' }), ['Payer', null]);
    const ultimate = { Cdtr: { Nm: 'NOTPROVIDED' }, UltmtCdtr: { Pty: { Nm: 'Shop' } } };
    assert.deepEqual(textsOf({ RltdPties: ultimate }), ['Shop', null]);
    const both = { Cdtr: { Nm: 'PayPal' }, UltmtCdtr: { Nm: 'Shop' } };
    assert.deepEqual(textsOf({ RltdPties: both }), ['PayPal', 'Shop']);
    const agent = { Cdtr: { Agt: { FinInstnId: { Nm: 'A bank' } } } };
    assert.deepEqual(textsOf({ RltdPties: agent }), ['A bank', null]);
  });

  it('are other texts if there is no name, each once', () => {
    const RmtInf = {
      Ustrd: 'Rent',
      Strd: [
        { CdtrRefInf: { Ref: 'RF18' } },
        { CdtrRefInf: { Ref: 'RF19' }, AddtlRmtInf: '?REJECT?0' },
      ],
    };
    assert.deepEqual(textsOf({ RmtInf }, { AddtlNtryInf: 'Transfer' }), [
      'Transfer',
      'Rent; RF18 RF19',
    ]);
    assert.deepEqual(textsOf({ RmtInf }), ['Rent', 'RF18 RF19']);
    assert.deepEqual(textsOf({ AddtlTxInf: 'Fee' }), ['Fee', null]);
    assert.deepEqual(textsOf({ RltdPties: parties('', 'Rent'), RmtInf }), ['Rent', 'RF18 RF19']);
    assert.deepEqual(textsOf({ RmtInf: { Ustrd: 'Not provided' } }), ['', null]);
    assert.deepEqual([entryOf({}).payee, entryOf({}).notes], ['', null]);
  });

  it('name the party that is not the owner when money returns', () => {
    const RltdPties = { ...parties('Customer', 'Owner'), CdtrAcct: OWN_IBAN };
    const RtrInf = { Rsn: { Cd: 'MD06' }, AddtlInf: 'Disputed' };
    assert.deepEqual(textsOf({ RltdPties, RtrInf }), ['Customer', 'Disputed']);
    assert.deepEqual(textsOf({ RltdPties }, { RvslInd: 'true' }), ['Customer', null]);
    assert.deepEqual(textsOf({ RltdPties }), ['Owner', null]);
    const only = { Dbtr: { Nm: 'Customer' } };
    assert.deepEqual(textsOf({ RltdPties: only, RtrInf }, { AddtlNtryInf: 'Return' }), [
      'Return',
      'Disputed; Customer',
    ]);
  });
});

describe('batches of CAMT', () => {
  const two = (first: string, second: string, more: CamtElement = {}): CamtElement => ({
    AddtlNtryInf: 'Salaries',
    ...camtDetails(
      camtDetail(first, { RltdPties: parties('Me', 'Anna'), ...more }),
      camtDetail(second, { RltdPties: parties('Me', 'Ben'), RmtInf: { Ustrd: 'May' } }),
    ),
  });

  it('are one entry with a part for each payment, if they total the entry', () => {
    const entry = entryOf(two('3.50', '1.50'));
    assert.deepEqual(
      [entry.amount, entry.payee, entry.notes],
      [-50_000, 'Anna', 'Salaries; Batch of 2 payments'],
    );
    assert.deepEqual(entry.parts, [
      { amount: -35_000, payee: 'Anna', notes: null, category: null },
      { amount: -15_000, payee: 'Ben', notes: 'May', category: null },
    ]);
  });

  it('have signs of their own, unless those contradict the entry', () => {
    const credit = { CdtDbtInd: 'CRDT' };
    assert.deepEqual(entryOf(two('2', '7')).parts, undefined);
    const amounts = (more: CamtElement, first: string): (number | undefined)[] =>
      (entryOf(two(first, '7', more)).parts ?? []).map(({ amount }) => amount);
    assert.deepEqual(amounts(credit, '2'), [20_000, -70_000]);
    const both = camtDetails(camtDetail('2', credit), camtDetail('3', credit));
    assert.deepEqual(
      entryOf(both).parts?.map(({ amount }) => amount),
      [-20_000, -30_000],
    );
  });

  it('remain whole if amounts are missing, in another currency, or too many', () => {
    const foreign = { Amt: { '@Ccy': 'USD', '': '3.50' } };
    assert.equal(entryOf(two('3.50', '1.50', foreign)).parts, undefined);
    const transaction = { ...foreign, AmtDtls: { TxAmt: { Amt: { '@Ccy': 'EUR', '': '3.50' } } } };
    assert.equal(entryOf(two('3.50', '1.50', transaction)).parts?.length, 2);
    assert.equal(entryOf(camtDetails({}, {})).parts, undefined);
    const many = (count: number) =>
      entryOf(camtDetails(...Array.from({ length: count }, () => camtDetail(String(5 / 500)))));
    assert.equal(many(500).parts?.length, 500);
    const { parts, notes, amount } = many(501);
    assert.deepEqual([parts, notes, amount], [undefined, 'Batch of 501 payments', -50_000]);
  });
});

describe('ids of CAMT', () => {
  const ref = (AcctSvcrRef: string, more: CamtElement = {}) => camtEntry({ AcctSvcrRef, ...more });
  const idsOf = (...statements: CamtElement[]) =>
    entriesIn(...statements).map(({ externalId }) => externalId);

  it('are the reference of the bank, of the entry or its only detail', () => {
    const refs = (text: CamtElement) => camtDetails(camtDetail('5', { Refs: text }));
    const own = refs({ AcctSvcrRef: 'DETAIL-1', EndToEndId: 'E1', TxId: 'T1' });
    assert.equal(entryOf({ AcctSvcrRef: 'ENTRY-1', ...own }).externalId, 'ENTRY-1');
    assert.equal(entryOf({ NtryRef: 'N1', ...own }).externalId, 'DETAIL-1');
    for (const none of ['NONREF', 'NOTPROVIDED', '0', '000', '17', '-']) {
      assert.equal(entryOf({ AcctSvcrRef: none, ...own }).externalId, 'DETAIL-1', none);
    }
    const row = { Prtry: { Tp: 'FI-UMSATZ-ID', Ref: '2024-01-31-08' } };
    assert.equal(entryOf({ AcctSvcrRef: 'NONREF', ...refs(row) }).externalId, '2024-01-31-08');
    assert.equal(entryOf(refs({ EndToEndId: 'E1', TxId: 'T1' })).externalId, null);
    const several = camtDetails(
      camtDetail('1', { Refs: { AcctSvcrRef: 'D1' } }),
      camtDetail('4', { Refs: { AcctSvcrRef: 'D2' } }),
    );
    assert.equal(entryOf(several).externalId, null);
  });

  it('stay different when the bank repeats one', () => {
    const fee = ref('REF-12345', { AddtlNtryInf: 'Fee' });
    const [first, second, third] = idsOf(camtStatement([ref('REF-12345'), ref('REF-12345'), fee]));
    assert.equal(new Set([first, second, third]).size, 3);
    assert.ok([first, second, third].every((id) => id!.startsWith('REF-12345')));
  });

  it('leave out entries that a later report repeats, with ids or without', () => {
    const report = (...entries: CamtElement[]) =>
      camtStatement(entries, { Id: `R${entries.length}` });
    const file = [
      report(ref('REF-1AAAA'), camtEntry()),
      report(ref('REF-1AAAA'), camtEntry(), camtEntry()),
    ];
    const read = readStatement(sourceOf(camtText({ kind: '052', statements: file })));
    assert.deepEqual(read.leftOut, [{ what: 'repetition of an entry', count: 2 }]);
    assert.equal([...read.entries()].length, 3);
  });

  it('keep equal entries of statements that continue each other, and of pages', () => {
    const chain = (Id: string, opening: string, closing: string, date: string) =>
      camtStatement([camtEntry()], {
        Id,
        Bal: [camtBalance('OPBD', opening), camtBalance('CLBD', closing, { Dt: { Dt: date } })],
      });
    assert.equal(
      entriesIn(chain('A', '20', '15', '2024-01-30'), chain('B', '15', '10', '2024-01-31')).length,
      2,
    );
    assert.equal(
      entriesIn(chain('A', '20', '15', '2024-01-30'), chain('B', '20', '15', '2024-01-30')).length,
      1,
    );
    assert.equal(
      entriesIn(chain('A', '20', '15', '2024-01-30'), chain('A', '20', '15', '2024-01-30')).length,
      1,
    );
    const page = (PgNb: string) =>
      camtStatement([camtEntry()], { Id: 'S', StmtPgntn: { PgNb }, Acct: CAMT_ACCOUNT });
    assert.equal(entriesIn(page('1'), page('2')).length, 2);
    assert.equal(entriesIn(page('1'), page('1')).length, 1);
  });

  it('do not let a pending entry replace a booked one', () => {
    const entries = entriesIn(
      camtStatement([ref('REF-12345', { Sts: { Cd: 'PDNG' } })], { Id: 'A' }),
      camtStatement([ref('REF-12345')], { Id: 'B' }),
    );
    assert.deepEqual(
      entries.map(({ isPending, externalId }) => [isPending === true, externalId]),
      [
        [true, 'REF-12345'],
        [false, 'REF-12345'],
      ],
    );
  });
});

describe('balances of CAMT', () => {
  const warningsOf = (balances: CamtElement[], ...entries: CamtElement[]) => {
    const text = camtText({ statements: [camtStatement(entries, { Bal: balances })] });
    return (readStatement(sourceOf(text)).warnings ?? []).map(({ text: said }) => said);
  };
  const pending = camtEntry({ Sts: { Cd: 'PDNG' } });

  it('are checked with the booked entries, and a difference is a warning', () => {
    const right = [camtBalance('OPBD', '3'), camtBalance('CLBD', '2', { CdtDbtInd: 'DBIT' })];
    assert.deepEqual(warningsOf(right, camtEntry(), pending), []);
    assert.deepEqual(warningsOf([camtBalance('PRCD', '3'), right[1]!], camtEntry()), []);
    assert.deepEqual(warningsOf(right), [
      'The balance changes from 3.0000 to -2.0000, but the booked entries differ from that by -5.0000',
    ]);
    assert.equal(warningsOf(right, camtEntry(), camtEntry()).length, 1);
  });

  it('are not checked where they cannot be', () => {
    const foreign = camtEntry({ Amt: { '@Ccy': 'SEK', '': '9' } });
    const pair = [camtBalance('OPBD', '3'), camtBalance('CLBD', '3')];
    assert.deepEqual(warningsOf(pair, foreign), []);
    assert.deepEqual(warningsOf(pair, foreign, camtEntry()), []);
    assert.deepEqual(warningsOf([camtBalance('OPBD', '3')], camtEntry()), []);
    assert.deepEqual(
      warningsOf([camtBalance('ITBD', '3'), camtBalance('FWAV', '9')], camtEntry()),
      [],
    );
    assert.deepEqual(warningsOf([camtBalance('OPBD', 'x'), camtBalance('CLBD', '3')]), []);
  });
});
