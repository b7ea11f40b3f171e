import assert from 'node:assert/strict';
import { test } from 'node:test';
import { select } from '../../db/rows.ts';
import { manualAccounts } from '../../db/tables/tables.ts';
import { accountWith, proofOf } from '../../ledger/accounts/account-proof.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { PreviewClient } from './testing/preview-client.ts';

const made = await makeTestApp();
const client = new PreviewClient(made);
const send: PreviewClient['send'] = (...sent) => client.send(...sent);
const upload: PreviewClient['upload'] = (...sent) => client.upload(...sent);
const commit: PreviewClient['commit'] = (...sent) => client.commit(...sent);
const bookId = made.ada.identity.book.id;

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
