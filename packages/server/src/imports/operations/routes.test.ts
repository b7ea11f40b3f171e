import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { imports, manualAccounts, transactions } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import { importEntries } from '../commit.ts';
import { entryOf } from '../testing/import-book.ts';
import type { ImportList, ImportRecord, ImportUndo } from './schema.ts';

const { made, book, send, ok, status, refused, ben } = await openBooks();
const url = '/coffer/imports';
let accounts = 0;

/** Imports transactions into a new account, and returns the ids of all of them. Amounts are in units. */
async function importOf(...amounts: number[]) {
  const entries = amounts.map((units) => entryOf({ date: '2024-05-01', amount: -units * 10_000 }));
  const { importId } = await importEntries(made.engine, book.id, {
    entries: () => entries,
    defaultAccount: `Account ${(accounts += 1)}`,
    dryRun: false,
    format: 'csv',
    file: { name: 'may.csv', hash: 'ab' },
  });
  const rows = (await book.rows(transactions)).filter((row) => row.import_id === importId);
  return { id: importId!, ids: pick(rows, 'id'), accountId: rows[0]!.manual_account_id };
}

const balanceOf = async (id: number | null) =>
  (await book.rows(manualAccounts)).find((each) => each.id === id)?.balance;
const idsOf = async (account: number | null) =>
  pick(
    (await book.rows(transactions)).filter((row) => row.manual_account_id === account),
    'id',
  );
const undo = (id: number, query = '') => ok<ImportUndo>('POST', `${url}/${id}/undo${query}`);

test('imports are listed in pages, the newest first, and only those of the book', async () => {
  const first = await importOf(1);
  const second = await importOf(2, 3);
  const page = async (query: string) => {
    const { imports: all, has_more } = await ok<ImportList>('GET', `${url}?limit=1${query}`);
    return [...pick(all, 'id'), has_more];
  };
  assert.deepEqual(await page(''), [second.id, true]);
  assert.deepEqual(await page('&offset=1'), [first.id, false]);
  const one = await ok<ImportRecord>('GET', `${url}/${second.id}`);
  const { created_at, version, ...shown } = one;
  assert.deepEqual(shown, {
    id: second.id,
    file_name: 'may.csv',
    file_sha256: 'ab',
    format: 'csv',
    created_by: 'command',
    status: 'imported',
    undone_version: null,
    is_pruned: false,
    first_date: '2024-05-01',
    last_date: '2024-05-01',
    imported: 2,
    known: 0,
    replaced: 0,
    doubtful: 0,
    skipped: 0,
    left_out: 0,
    accounts_created: 1,
    categories_created: 0,
    tags_created: 0,
    work: null,
    preview: null,
  });
  assert.ok(created_at.endsWith('Z') && version! > 0);
  assert.deepEqual((await ben.ok<ImportList>('GET', url)).imports, []);
});

test('an undo removes what the import created, and a redo restores it with the same ids', async () => {
  const { id, ids, accountId } = await importOf(5, -2);
  assert.equal(await balanceOf(accountId), -30_000);
  const { import: undone, conflicts } = await undo(id);
  assert.deepEqual([undone.status, conflicts], ['undone', []]);
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [[], undefined]);
  const twice = await refused('POST', `${url}/${id}/undo`);
  assert.deepEqual(twice, [{ errMsg: `Import ${id} is undone already`, id }]);
  const restored = await ok<ImportUndo>('POST', `${url}/${id}/redo`);
  assert.equal(restored.import.undone_version, null);
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [ids, -30_000]);
  const redone = await refused('POST', `${url}/${id}/redo`);
  assert.deepEqual(redone, [{ errMsg: `Import ${id} is not undone`, id }]);
});

test('the undo of an undo in the history is a redo of the import', async () => {
  const body = { name: `Account ${accounts + 1}`, type: 'cash', balance: '0' };
  const account = await ok<{ id: number }>('POST', '/v2/manual_accounts', body);
  const { id } = await importOf(1);
  const { undone_version } = (await undo(id)).import;
  await ok('DELETE', `/v2/manual_accounts/${account.id}`);
  // Large imports are restored in the background, and the import says why that was refused.
  const row = { book_id: book.id, id };
  await made.engine.write(() => updateUnlogged(imports, row, { known: 5000 }));
  assert.equal(await status('POST', `/coffer/history/${undone_version}/undo`), 202);
  let { work } = await ok<ImportRecord>('GET', `${url}/${id}`);
  while (work?.is_under_way === true) ({ work } = await ok<ImportRecord>('GET', `${url}/${id}`));
  assert.deepEqual([work?.kind, work?.is_under_way], ['redo', false]);
});

test('what was changed since is a conflict, by record and column, and nothing is undone', async () => {
  const { id, ids, accountId } = await importOf(1, 2);
  await ok('PUT', `/v2/transactions/${ids[0]}`, { notes: 'mine', amount: 4 });
  const path = `${url}/${id}/undo`;
  const conflict = await send<{ message: string; errors: object[] }>('POST', path);
  assert.deepEqual([conflict.status, conflict.body.message], [409, 'Conflict']);
  const blocked = [{ record: 'transactions', id: ids[0] }];
  const at = { ...blocked[0], reason: 'changed since', blocked };
  const expected = ['amount', 'to_base', 'notes'].map((column) => ({
    errMsg: `transactions ${ids[0]}: ${column} was changed since`,
    ...at,
    column,
  }));
  assert.deepEqual(conflict.body.errors, expected);
  assert.deepEqual(await idsOf(accountId), ids);
  const kept = await undo(id, '?conflicts=skip');
  assert.ok(kept.import.status === 'undone' && kept.conflicts.length >= 3);
  // The account is kept, too, with the balance of the transaction in it.
  assert.deepEqual([await idsOf(accountId), await balanceOf(accountId)], [[ids[0]], -40_000]);
  assert.equal(await status('POST', `${path}?conflicts=some`), 400);
});

test('an import that created nothing cannot be undone', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const { id } = await made.engine.write(() =>
    insertUnlogged(imports, { book_id: book.id, at, actor: 'command', known: 3 }),
  );
  const errMsg = `Import ${id} created nothing that could be undone`;
  assert.deepEqual(await refused('POST', `${url}/${id}/undo`), [{ errMsg, id }]);
});
