import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import { insertUnlogged } from '../../changes/unlogged.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { imports, manualAccounts, transactions } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { BulkRows, insertTransactions } from '../transactions/actions.ts';
import type { ImportList, ImportRecord, ImportUndo } from './schema.ts';

const made = await makeTestApp();
const { send, refused } = bookClient(made, made.ada);
const ben = bookClient(made, made.ben);
const bookId = made.ada.identity.book.id;
const url = '/coffer/imports';

function perform<T>(work: (change: Change) => Steps<T>): Promise<T> {
  return made.engine.write(() => changing({ bookId, actor: 'command', operation: 'import' }, work));
}

/** An import of transactions into a new account, or into one that exists. Amounts are in units. */
async function importOf(amounts: readonly number[], account?: number) {
  return perform(function* (change) {
    const by = { balance: 0, balance_as_of: change.at, created_by_name: 'Ada' };
    const values = { name: `Account ${change.version}`, type: 'cash', currency: 'eur', ...by };
    const accountId = account ?? (yield* change.insert(manualAccounts, values)).id;
    const bulk = new BulkRows(change);
    const ids: number[] = [];
    for (const units of amounts) {
      const id = yield* bulk.nextId();
      const amount = units * 10_000;
      const row = { id, date: '2024-05-01', amount, to_base: amount, currency: 'eur', payee: 'P' };
      yield* insertTransactions(change, [
        { ...row, status: 'unreviewed', manual_account_id: accountId },
      ]);
      ids.push(id);
    }
    const { id } = yield* insertUnlogged(imports, {
      ...{ book_id: bookId, version: change.version, at: change.at, actor: 'command' },
      ...{ file_name: 'may.csv', file_hash: 'ab', format: 'csv', imported: ids.length },
      ...{ first_date: '2024-05-01', last_date: '2024-05-01', accounts_created: 1 },
    });
    return { id, ids, accountId };
  });
}

const balanceOf = async (id: number) =>
  (await made.engine.read(() => find(manualAccounts, { book_id: bookId, id })))?.balance;
const idsOf = async (account: number) => {
  const where = { book_id: bookId, manual_account_id: account };
  return (await made.engine.read(() => select(transactions, where))).map(({ id }) => id);
};
const undo = (id: number, query = '') => send<ImportUndo>('POST', `${url}/${id}/undo${query}`);

test('imports are listed in pages, the newest first, and only those of the book', async () => {
  const first = await importOf([1]);
  const second = await importOf([2, 3]);
  const { body } = await send<ImportList>('GET', `${url}?limit=1`);
  assert.deepEqual([body.imports.map(({ id }) => id), body.has_more], [[second.id], true]);
  const next = (await send<ImportList>('GET', `${url}?limit=1&offset=1`)).body;
  assert.deepEqual([next.imports.map(({ id }) => id), next.has_more], [[first.id], false]);
  const one = (await send<ImportRecord>('GET', `${url}/${second.id}`)).body;
  const { created_at, version, ...shown } = one;
  assert.deepEqual(shown, {
    ...{ id: second.id, file_name: 'may.csv', file_sha256: 'ab', format: 'csv' },
    ...{ created_by: 'command', status: 'imported', undone_version: null, is_pruned: false },
    ...{ first_date: '2024-05-01', last_date: '2024-05-01', imported: 2, known: 0, replaced: 0 },
    ...{ doubtful: 0, skipped: 0, left_out: 0 },
    ...{ accounts_created: 1, categories_created: 0, tags_created: 0, work: null, preview: null },
  });
  assert.ok(created_at.endsWith('Z') && version! > 0);
  assert.deepEqual((await ben.send<ImportList>('GET', url)).body.imports, []);
  for (const path of [`${url}/${second.id}`, `${url}/9999`])
    assert.equal((await ben.send('GET', path)).status, 404);
  for (const action of ['undo', 'redo'])
    assert.equal((await ben.send('POST', `${url}/${second.id}/${action}`)).status, 404);
  assert.deepEqual(await idsOf(second.accountId), second.ids);
});

test('an undo removes what the import created, and a redo restores it with the same ids', async () => {
  const { id, ids, accountId } = await importOf([5, -2]);
  assert.equal(await balanceOf(accountId), -30_000);
  const { status, body } = await undo(id);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.import.status, body.conflicts], ['undone', []]);
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [[], undefined]);
  const twice = await refused('POST', `${url}/${id}/undo`);
  assert.deepEqual(twice, [{ errMsg: `Import ${id} is undone already`, id }]);
  const restored = await send<ImportUndo>('POST', `${url}/${id}/redo`);
  assert.equal(restored.status, 200);
  assert.equal(restored.body.import.undone_version, null);
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [ids, -30_000]);
  const redone = await refused('POST', `${url}/${id}/redo`);
  assert.deepEqual(redone, [{ errMsg: `Import ${id} is not undone`, id }]);
  assert.equal((await undo(id)).status, 200);
});

test('what was changed since is a conflict, by record and column, and nothing is undone', async () => {
  const { id, ids, accountId } = await importOf([1, 2]);
  const changed = { notes: 'mine', amount: 4 };
  assert.equal((await send('PUT', `/v2/transactions/${ids[0]}`, changed)).status, 200);
  const path = `${url}/${id}/undo`;
  const { status, body } = await send<{ message: string; errors: object[] }>('POST', path);
  assert.equal(status, 409);
  assert.equal(body.message, 'Conflict');
  const blocked = [{ record: 'transactions', id: ids[0] }];
  const at = { ...blocked[0], reason: 'changed since', blocked };
  assert.deepEqual(
    body.errors,
    ['amount', 'to_base', 'notes'].map((column) => ({
      errMsg: `transactions ${ids[0]}: ${column} was changed since`,
      ...{ ...at, column },
    })),
  );
  assert.deepEqual(await idsOf(accountId), ids);
  const kept = await undo(id, '?conflicts=skip');
  assert.equal(kept.status, 200);
  assert.equal(kept.body.import.status, 'undone');
  assert.ok(kept.body.conflicts.length >= 3);
  // The account is kept, too, with the balance of the transaction in it.
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [[ids[0]], -40_000]);
  assert.equal((await send('POST', `${url}/${id}/undo?conflicts=some`)).status, 400);
});

test('an import that created nothing cannot be undone', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const { id } = await made.engine.write(() =>
    insertUnlogged(imports, { book_id: bookId, at, actor: 'command', known: 3 }),
  );
  const errMsg = `Import ${id} created nothing that could be undone`;
  assert.deepEqual(await refused('POST', `${url}/${id}/undo`), [{ errMsg, id }]);
});
