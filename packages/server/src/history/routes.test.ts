import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { changing } from '../book/change.ts';
import { run } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { importForms, transactions } from '../db/tables/tables.ts';
import { pick } from '../http/testing/pick.ts';
import { strictClient } from '../http/testing/strict-client.ts';
import { makeTestApp } from '../http/testing/test-app.ts';
import { createToken, revokeToken, renameToken, newToken } from '../identity/users/actions.ts';
import type { HistoryEntry, HistoryVersion, TransactionHistory } from './schema.ts';
import { kindOf, records } from './records.ts';

const made = await makeTestApp();
after(() => made.app.close());
const { engine, ada, ben } = made;
const { book, send, ok, status, refused } = strictClient(made, ada);
const others = strictClient(made, ben);
const url = '/coffer/history';
const { callerId } = ada.identity;

type HistoryPage = Readonly<{ history: HistoryEntry[]; has_more: boolean }>;
interface Refused {
  readonly errors: readonly { readonly errMsg: string; readonly oldest_version?: number }[];
}

const list = (query = '') => ok<HistoryPage>('GET', `${url}${query}`);
const versionOf = (version: number, query = '') =>
  ok<HistoryVersion>('GET', `${url}/${version}${query}`);
const byToken = { kind: 'token', id: callerId, name: "ada's laptop" };
const undone = { undoes: null, undone_by: null };

test('a change is shown with its actor, its counts, and its records before and after', async () => {
  const tag = { name: 'trip', description: 'Rome' };
  const { id } = await ok<{ id: number }>('POST', '/v2/tags', tag);
  const changed = { payee: 'REWE', tag_ids: [id], custom_metadata: { a: 1 }, amount: '-12.5' };
  await ok('PUT', '/v2/transactions/1003', changed);
  await ok('DELETE', '/v2/transactions/1004');
  const { history, has_more } = await list('?limit=3');
  assert.equal(has_more, true);
  const [removal, update, insert] = history;
  const count = (record: string, kind: string) => [{ record, kind, count: 1 }];
  const entry = ({ version, at }: HistoryEntry, operation: string) => ({
    version,
    at,
    actor: byToken,
    operation,
    ...undone,
  });
  assert.deepEqual(history, [
    { ...entry(removal!, 'deleteTransactionById'), counts: count('transactions', 'removed') },
    { ...entry(update!, 'updateTransaction'), counts: count('transactions', 'changed') },
    { ...entry(insert!, 'createTag'), counts: count('tags', 'made') },
  ]);
  const { records } = await versionOf(update!.version);
  const before = { amount: '1.2300', to_base: '1.2300', payee: 'Someone', tag_ids: [] };
  const after = { amount: '-12.5000', to_base: '-12.5000', payee: 'REWE', tag_ids: [id] };
  assert.deepEqual(records, [
    {
      record: 'transactions',
      id: 1003,
      kind: 'changed',
      before: { ...before, custom_metadata: null },
      after: { ...after, custom_metadata: { a: 1 } },
    },
  ]);
  const [removed] = (await versionOf(removal!.version)).records;
  assert.deepEqual([removed?.id, removed?.after], [1004, null]);
  assert.equal(removed?.before?.['amount'], '1.2300');
  await ok('PUT', `/v2/tags/${id}`, { name: 'holiday' });
  const [created] = (await versionOf(insert!.version)).records;
  assert.equal(created?.before, null);
  assert.deepEqual({ ...created.after, ...tag }, created.after);
  assert.ok(!('book_id' in created.after!));
});

test('a transaction has its history, also when it is deleted; unknown ones are not found', async () => {
  const of = (id: number, query = '') =>
    ok<TransactionHistory>('GET', `/coffer/transactions/${id}/history${query}`);
  const deleted = await of(1004);
  assert.deepEqual(pick(deleted.history, 'operation'), ['deleteTransactionById', 'fill']);
  assert.deepEqual(pick(deleted.history, 'kind'), ['removed', 'made']);
  assert.equal(deleted.history[0]?.after, null);
  assert.equal(deleted.history[1]?.after?.['payee'], 'Someone');
  const [newest] = (await of(1003, '?limit=1')).history;
  assert.equal(newest?.after?.['payee'], 'REWE');
  const older = await of(1003, `?limit=1&before=${newest.version}`);
  assert.deepEqual([older.history.length, older.has_more], [1, false]);
  assert.deepEqual(await of(1003, '?before=1'), { history: [], has_more: false });
  for (const id of [999_999, -1, 0, 2001, 9007199254740991])
    assert.equal(await status('GET', `/coffer/transactions/${id}/history`), 404, String(id));
});

test('pages are exact under every filter', async () => {
  for (let at = 0; at < 6; at += 1) {
    await ok('POST', '/v2/tags', { name: `tag ${at}` });
    await ok('PUT', `/v2/transactions/${1005 + (at % 2)}`, { notes: `note ${at}` });
  }
  const all = (await list('?limit=1000')).history;
  const isOf = (record: string) => (entry: HistoryEntry) =>
    entry.counts.some((each) => each.record === record);
  const { at } = all[4]!;
  // Which filters match which versions is for the tests of the history; here each one has an effect.
  const filters: Readonly<Record<string, (entry: HistoryEntry) => boolean>> = {
    '': () => true,
    'record=tags': isOf('tags'),
    'record=transactions&id=1005&operation=updateTransaction': (entry) =>
      all.indexOf(entry) < 12 && all.indexOf(entry) % 4 === 2,
    'record=rules': () => false,
    'actor=test': ({ actor }) => actor.kind === 'test',
    'operation=createTag': ({ operation }) => operation === 'createTag',
    [`from=${at}&to=${at.slice(0, 10)}`]: (entry) => entry.at >= at,
    [`to=${at}&actor=token%20${callerId}`]: (entry) =>
      entry.at <= at && entry.actor.kind === 'token',
  };
  for (const [query, isListed] of Object.entries(filters)) {
    const expected = all.filter(isListed);
    const walked: HistoryEntry[] = [];
    for (let hasMore = true; hasMore;) {
      const before = walked.length === 0 ? '' : `&before=${walked.at(-1)!.version}`;
      const page = await list(`?limit=3&${query}${before}`);
      walked.push(...page.history);
      hasMore = page.has_more;
      assert.equal(hasMore, walked.length < expected.length, query);
      if (hasMore) assert.equal(page.history.length, 3);
    }
    assert.deepEqual(walked, expected, query);
  }
});

test('the records of a version are paged', async () => {
  const fill = (await list('?operation=fill')).history[0]!;
  const walked: number[] = [];
  for (let offset = 0; ; offset += 7) {
    const page = await versionOf(fill.version, `?limit=7&offset=${offset}`);
    walked.push(...pick(page.records, 'id'));
    assert.deepEqual(page.counts, [{ record: 'transactions', kind: 'made', count: 30 }]);
    if (!page.has_more) break;
  }
  const all = Array.from({ length: 30 }, (_, at) => 1001 + at);
  assert.deepEqual(walked, all);
});

test('the label of a token is shown as it is now, also when the token is revoked', async () => {
  const { hash } = newToken();
  const other = await engine.write(() =>
    createToken({
      userId: book.book.userId,
      bookId: book.id,
      hash,
      label: 'phone',
      expiresAt: null,
    }),
  );
  await change(`token ${other}`, { notes: 'x' });
  const { body, etag } = await send<HistoryPage>('GET', url);
  assert.deepEqual(body.history[0]?.actor, { kind: 'token', id: other, name: 'phone' });
  await engine.write(() => renameToken(book.id, other, 'old phone'));
  await engine.write(() => revokeToken(book.id, other));
  const again = await send<HistoryPage>('GET', url);
  assert.equal(again.body.history[0]?.actor.name, 'old phone');
  assert.notEqual(again.etag, etag);
  // A token of another book has no name here.
  const { callerId: id } = ben.identity;
  await change(`token ${id}`, { notes: 'y' });
  await change('connector kraken', { notes: 'z' });
  const actors = (await list('?limit=2')).history.map(({ actor }) => actor);
  assert.deepEqual(actors, [
    { kind: 'connector', id: null, name: 'kraken' },
    { kind: 'token', id, name: null },
  ]);
});

test('another book shows nothing of it, and internal records are never shown', async () => {
  const bens = await others.ok<HistoryPage>('GET', `${url}?limit=1000`);
  assert.deepEqual(pick(bens.history, 'operation'), ['fill']);
  const [newest] = (await list('?limit=1')).history;
  assert.equal(await others.status('GET', `${url}/${newest!.version}`), 404);
  const internal = await book.change(function* (change) {
    const form = { date: '2026-01-01', amount: 1, payee: 'P', is_pending: false };
    const of = { transaction_id: 1010, version: change.version };
    yield* change.insert(importForms, { ...form, ...of });
    return change.version;
  });
  const { counts, records, has_more } = await versionOf(internal);
  assert.deepEqual({ counts, records, has_more }, { counts: [], records: [], has_more: false });
});

test('what is wrong with a request is listed, and a version that is not there is refused', async () => {
  const wrong =
    'limit=1001&before=0&record=account_numbers&id=x&actor=%00&operation=%20&from=2026-02-30&other=1';
  assert.equal((await refused('GET', `${url}?${wrong}`)).length, 8);
  const mixed = 'id=5&from=2026-02-02&to=2026-02-01&actor=Token%2012';
  assert.deepEqual(pick(await refused('GET', `${url}?${mixed}`), 'errMsg'), [
    'Query parameter actor must be an actor such as "token 12" or "command", not "Token 12"',
    'Missing query parameter record, which id needs',
    'Query parameter from must not be later than to "2026-02-01", not "2026-02-02"',
  ]);
  const none = { history: [], has_more: false };
  assert.deepEqual(await list('?from=2026-02-01&to=2026-02-01&actor=a%20b'), none);
  await refused('GET', `${url}/1.5`);
  await refused('GET', `${url}/2?limit=0&offset=-1`);
  for (const version of [0, -1, 1, 999, 9007199254740991])
    assert.equal(await status('GET', `${url}/${version}`), 404, String(version));
  await engine.write(() => run(sql`UPDATE books SET pruned_version = 3 WHERE id = ${book.id}`));
  const pruned = await send<Refused>('GET', `${url}/3`);
  assert.deepEqual([pruned.status, pruned.body.errors[0]?.oldest_version], [410, 4]);
  assert.equal(await status('GET', `${url}/0`), 404);
});

function change(actor: string, values: { readonly notes: string }): Promise<unknown> {
  return engine.write(() =>
    changing({ bookId: book.id, actor, operation: 'test' }, function* (change) {
      const row = yield* find(transactions, { book_id: book.id, id: 1010 });
      return yield* change.update(transactions, row!, values);
    }),
  );
}

test('somebody has decided of every column whether it is shown: it is listed, or secret, or local', () => {
  for (const { table, shownColumns } of records.filter((kind) => !kind.table.isInternal)) {
    const columns = Object.entries(table.columns);
    const may = columns.filter(([, { isLocal, placeholder, type }]) => {
      return isLocal !== true && placeholder === undefined && type !== 'bytes';
    });
    const names = columns.map(([name]) => [name, null] as const);
    const shown = Object.keys(shownColumns(Object.fromEntries(names)));
    const wanted = may.map(([name]) => name).filter((name) => name !== 'book_id');
    assert.deepEqual(shown, wanted, table.name);
  }
});

test('values are shown as in the API', () => {
  const row = {
    book_id: 1,
    id: 5,
    amount: -125_000,
    is_pending: true,
    notes: null,
    tag_ids: '[1,2]',
    custom_metadata: '{"a":{"b":1}}',
    created_at: '2026-01-01T00:00:00.000Z',
  };
  assert.deepEqual(kindOf('transactions').shownColumns(row), {
    id: 5,
    amount: '-12.5000',
    is_pending: true,
    notes: null,
    tag_ids: [1, 2],
    custom_metadata: { a: { b: 1 } },
    created_at: '2026-01-01T00:00:00.000Z',
  });
  const rule = { conditions: '{"amount":{"min":10000}}', actions: '{"split":[{"amount":5}]}' };
  assert.deepEqual(kindOf('rules').shownColumns(rule), {
    conditions: { amount: { min: '1.0000' } },
    actions: { split: [{ amount: '0.0005' }] },
  });
  const file = { id: 1, name: 'a.pdf', storage_key: 'secret' };
  assert.deepEqual(kindOf('transaction_files').shownColumns(file), { id: 1, name: 'a.pdf' });
});
