import assert from 'node:assert/strict';
import { test } from 'node:test';
import { select } from '../../db/rows.ts';
import { manualAccounts } from '../../db/tables/tables.ts';
import { accountWith, proofOf } from '../../ledger/accounts/account-proof.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { previewClient } from './testing/preview-client.ts';

const made = await makeTestApp();
const { bookId, send, upload, commit } = previewClient(made);

test('the balance of a file is compared before the import, becomes that of the account, and is undone with it', async () => {
  const statement = (from: string, opening: string, entry: string, to: string, closing: string) =>
    [
      ...[':20:1', ':25:10020030/77', ':28C:1/1', `:60F:C${from}EUR${opening}`],
      ...[`:61:${to}D${entry}NMSCNONREF`, `:86:Shop ${to}`, `:62F:C${to}EUR${closing}`, '-'],
    ].join('\r\n');
  const balances = async () => {
    const accounts = await made.engine.read(() => select(manualAccounts, { book_id: bookId }));
    return accounts.filter(({ name }) => name === 'Proved').map(({ balance }) => balance);
  };
  const query = '?account=Proved&file_name=x.sta';
  const preview = async (...parts: Parameters<typeof statement>) =>
    (await upload(statement(...parts), query)).body;
  const first = await preview('230430', '10,00', '2,50', '230531', '7,50');
  const may = { day: '2023-05-31', balance: '7.5000' };
  assert.deepEqual(first.accounts[0]!.balance, { ...may, difference: '0.0000' });
  await commit(first.id);
  assert.deepEqual(await balances(), [75_000]);
  const wrong = await preview('230531', '7,50', '1,00', '230630', '6,40');
  assert.equal(wrong.accounts[0]!.balance!.difference, '-0.1000');
  await commit(wrong.id);
  assert.deepEqual(await balances(), [64_000]);
  const old = await preview('230331', '90,00', '80,00', '230430', '10,00');
  await commit(old.id);
  assert.deepEqual(await balances(), [64_000], 'old rows move nothing');
  const undone = await send('POST', `/${wrong.id}/undo`, {
    type: 'application/json',
    payload: '{}',
  });
  assert.equal(undone.status, 200);
  assert.deepEqual(await balances(), [75_000]);
});

test('a table proves its balances, also where the file before it lacked entries of its last day', async () => {
  const table = (...rows: string[]) => ['Date,Payee,Amount,Balance', ...rows].join('\n');
  const query = '?account=Table&file_name=x.csv';
  const states = async () => {
    const accounts = await made.engine.read(() => select(manualAccounts, { book_id: bookId }));
    const { id, balance } = accounts.find(({ name }) => name === 'Table')!;
    const { stretches } = await made.engine.read(function* () {
      return yield* proofOf(yield* accountWith(bookId, 'manual', id));
    });
    return [balance / 10_000, stretches.map(({ state }) => state)];
  };
  const take = async (...rows: string[]) => {
    const { id, accounts } = (await upload(table(...rows), query)).body;
    await commit(id);
    return accounts[0]!.balance;
  };
  const none = { difference: '0.0000' };
  const [first, second] = ['2023-05-01,Shop,-5,95', '2023-05-02,Rent,-10,85'] as const;
  assert.deepEqual(await take(first, second), { day: '2023-05-02', balance: '85.0000', ...none });
  assert.deepEqual(await states(), [85, ['proved']]);
  const more = ['2023-05-02,Cafe,-1,84', '2023-05-03,Refund,2,86'];
  const later = await take(second, ...more);
  assert.deepEqual(later, { day: '2023-05-03', balance: '86.0000', ...none });
  assert.deepEqual(await states(), [86, ['proved', 'proved']]);
  assert.equal((await take('2023-05-04,Lost,-3,80'))!.difference, '-3.0000');
  assert.deepEqual(await states(), [80, ['proved', 'proved', 'broken']]);
});

test('a balance without a day is of the last day of the file, or of the end of its period', async () => {
  const entry = '<STMTTRN><DTPOSTED>20200110<TRNAMT>-4.00<FITID>undated-1</STMTTRN>';
  const ofx = (end: string) =>
    `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>71</BANKACCTFROM><BANKTRANLIST>${end}${entry}` +
    '</BANKTRANLIST><LEDGERBAL><BALAMT>96.00</LEDGERBAL></STMTRS></OFX>';
  const camt = (period: string) =>
    `<Document><BkToCstmrStmt><Stmt><Id>1</Id>${period}<Acct><Id><Othr><Id>72</Id></Othr></Id></Acct>` +
    '<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">96</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>' +
    '<Ntry><Amt Ccy="EUR">4</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2020-01-10</Dt></BookgDt>' +
    '</Ntry></Stmt></BkToCstmrStmt></Document>';
  const table = (...above: string[]) =>
    [...above, 'Date,Payee,Amount', '2020-01-10,Shop,-4', 'Closing balance,96'].join('\n');
  const mt940 =
    ':20:1\n:25:10020030/73\n:28C:1/1\n:60F:C200109EUR100,\n:61:200110D4,NMSCx\n:62F:CEUR96,\n-';
  const files: readonly (readonly [file: string, name: string, day: string])[] = [
    [ofx(''), 'x.ofx', '2020-01-10'],
    [ofx('<DTSTART>20200101<DTEND>20200131'), 'x.ofx', '2020-01-31'],
    [camt(''), 'x.xml', '2020-01-10'],
    [camt('<FrToDt><ToDtTm>2020-01-31T23:59:59</ToDtTm></FrToDt>'), 'x.xml', '2020-01-31'],
    [mt940, 'x.sta', '2020-01-10'],
    ['!Account\nNUndated\nTBank\n$96\n^\n!Type:Bank\nD2020-01-10\nT-4\n^\n', 'x.qif', '2020-01-10'],
    [table(), 'x.csv', '2020-01-10'],
    [table('Period,2020-01-01,2020-01-31', 'Printed on 2023-11-01'), 'x.csv', '2020-01-31'],
  ];
  for (const [at, [file, name, day]] of files.entries()) {
    const query = `?account=Undated ${at}&file_name=${name}&currency=eur`;
    const { body } = await upload(file, query);
    assert.deepEqual(
      body.accounts.map(({ balance }) => [balance?.day, balance?.balance]),
      [[day, '96.0000']],
      `${at} ${JSON.stringify(body)}`,
    );
  }
});
