import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { changing } from '../../changes/changing.ts';
import { run } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { importForms, transactions } from '../../db/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { renameToken } from '../users/admin.ts';
import { createToken, revokeToken } from '../users/actions.ts';
import { newToken } from '../users/token.ts';
import type { HistoryEntry, HistoryVersion, TransactionHistory } from './schema.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const made = await makeTestApp();
after(() => made.app.close());
const { engine, ada, ben } = made;
const { send, refused } = bookClient(made, ada);
const others = bookClient(made, ben);
const url = '/coffer/history';
const { book, callerId } = ada.identity;

interface HistoryPage {
  readonly history: HistoryEntry[];
  readonly has_more: boolean;
}
interface Refused {
  readonly errors: readonly { readonly errMsg: string; readonly oldest_version?: number }[];
}

const list = async (query = ''): Promise<HistoryPage> =>
  (await send<HistoryPage>('GET', `${url}${query}`)).body;
const versionOf = async (version: number, query = ''): Promise<HistoryVersion> =>
  (await send<HistoryVersion>('GET', `${url}/${version}${query}`)).body;
const byToken = { kind: 'token', id: callerId, name: "ada's laptop" };
const undone = { undoes: null, undone_by: null };

test('a change is shown with its actor, its counts, and its records before and after', async () => {
  const tag = { name: 'trip', description: 'Rome' };
  const { id } = (await send<{ id: number }>('POST', '/v2/tags', tag)).body;
  const changed = { payee: 'REWE', tag_ids: [id], custom_metadata: { a: 1 }, amount: '-12.5' };
  await send('PUT', '/v2/transactions/1003', changed);
  await send('DELETE', '/v2/transactions/1004');
  const { history, has_more } = await list('?limit=3');
  assert.equal(has_more, true);
  const [removal, update, insert] = history;
  const count = (record: string, kind: string) => [{ record, kind, count: 1 }];
  const entry = ({ version, at }: HistoryEntry, operation: string) => ({
    ...{ version, at, actor: byToken, operation, ...undone },
  });
  assert.deepEqual(history, [
    { ...entry(removal!, 'deleteTransactionById'), counts: count('transactions', 'removed') },
    { ...entry(update!, 'updateTransaction'), counts: count('transactions', 'changed') },
    { ...entry(insert!, 'createTag'), counts: count('tags', 'made') },
  ]);
  const { records } = await versionOf(update!.version);
  assert.deepEqual(records, [
    {
      ...{ record: 'transactions', id: 1003, kind: 'changed' },
      before: {
        ...{ amount: '1.2300', to_base: '1.2300', payee: 'Someone', tag_ids: [] },
        custom_metadata: null,
      },
      after: {
        ...{ amount: '-12.5000', to_base: '-12.5000', payee: 'REWE', tag_ids: [id] },
        custom_metadata: { a: 1 },
      },
    },
  ]);
  const [removed] = (await versionOf(removal!.version)).records;
  assert.deepEqual(
    [removed?.id, removed?.before?.['amount'], removed?.after],
    [1004, '1.2300', null],
  );
  await send('PUT', `/v2/tags/${id}`, { name: 'holiday' });
  const [created] = (await versionOf(insert!.version)).records;
  assert.deepEqual(
    [created?.before, created?.after?.['name'], created?.after?.['description']],
    [null, 'trip', 'Rome'],
  );
  assert.ok(!('book_id' in created!.after!));
});

test('a transaction has its history, also when it is deleted; unknown ones are not found', async () => {
  const of = async (id: number, query = '') =>
    (await send<TransactionHistory>('GET', `/coffer/transactions/${id}/history${query}`)).body;
  const deleted = await of(1004);
  assert.deepEqual(
    deleted.history.map(({ operation, kind, after }) => [operation, kind, after === null]),
    [
      ['deleteTransactionById', 'removed', true],
      ['fill', 'made', false],
    ],
  );
  assert.equal(deleted.history[1]?.after?.['payee'], 'Someone');
  const [newest] = (await of(1003, '?limit=1')).history;
  assert.equal(newest?.after?.['payee'], 'REWE');
  const older = await of(1003, `?limit=1&before=${newest.version}`);
  assert.deepEqual([older.history.length, older.has_more], [1, false]);
  assert.deepEqual(await of(1003, '?before=1'), { history: [], has_more: false });
  for (const id of [999_999, -1, 0, 2001, 9007199254740991]) {
    const { status, body } = await send<Refused>('GET', `/coffer/transactions/${id}/history`);
    assert.deepEqual([status, body.errors.length], [404, 1], String(id));
  }
});

test('pages are exact under every filter', async () => {
  for (let at = 0; at < 6; at += 1) {
    await send('POST', '/v2/tags', { name: `tag ${at}` });
    await send('PUT', `/v2/transactions/${1005 + (at % 2)}`, { notes: `note ${at}` });
  }
  const all = (await list('?limit=1000')).history;
  const versions = all.map(({ version }) => version);
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => b - a),
  );
  const touched = new Map<number, readonly string[]>();
  for (const { version } of all)
    touched.set(
      version,
      (await versionOf(version, '?limit=1000')).records.map(({ record, id }) => `${record} ${id}`),
    );
  await fc.assert(
    fc.asyncProperty(filterArbitrary(all), async ({ limit, ...sent }) => {
      fc.pre(sent.id === undefined || sent.record !== undefined);
      fc.pre((sent.from ?? '') <= (sent.to ?? '~'));
      const expected = all.filter((entry) => isListed(entry, sent, touched.get(entry.version)!));
      const pairs = Object.entries(sent).map(
        ([name, value]) => `&${name}=${encodeURIComponent(value)}`,
      );
      const walked: number[] = [];
      for (;;) {
        const before = walked.length === 0 ? '' : `&before=${walked.at(-1)}`;
        const page = await list(`?limit=${limit}${pairs.join('')}${before}`);
        walked.push(...page.history.map(({ version }) => version));
        assert.equal(page.has_more, walked.length < expected.length);
        if (!page.has_more) break;
        assert.equal(page.history.length, limit);
      }
      const versions = expected.map(({ version }) => version);
      assert.deepEqual(walked, versions);
    }),
    { numRuns: runs(150) },
  );
});

interface Filter {
  readonly record?: string;
  readonly id?: number;
  readonly actor?: string;
  readonly operation?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Filters by values of some entries, and by others. */
function filterArbitrary(
  all: readonly HistoryEntry[],
): fc.Arbitrary<Filter & { readonly limit: number }> {
  return fc.record(
    {
      record: fc.constantFrom('transactions', 'tags', 'rules'),
      actor: fc.constantFrom(`token ${callerId}`, 'test', 'command'),
      operation: fc.constantFrom('createTag', 'updateTransaction', 'fill', 'nothing'),
      from: fc.constantFrom(...all.map(({ at }) => at)),
      to: fc.constantFrom(...all.map(({ at }) => at)),
      id: fc.constantFrom(1003, 1005, 1006, 1),
      limit: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: ['limit'] },
  );
}

function isListed(
  { at, actor, operation }: HistoryEntry,
  sent: Filter,
  touched: readonly string[],
): boolean {
  const by = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  const isTouched = (key: string): boolean => {
    const [record, id] = key.split(' ');
    return record === (sent.record ?? record) && Number(id) === (sent.id ?? Number(id));
  };
  return (
    by === (sent.actor ?? by) &&
    operation === (sent.operation ?? operation) &&
    at >= (sent.from ?? at) &&
    at <= (sent.to ?? at) &&
    touched.some(isTouched)
  );
}

test('the records of a version are paged', async () => {
  const fill = (await list('?operation=fill')).history[0]!;
  const walked: number[] = [];
  for (let offset = 0; ; offset += 7) {
    const page = await versionOf(fill.version, `?limit=7&offset=${offset}`);
    walked.push(...page.records.map(({ id }) => id));
    assert.deepEqual(page.counts, [{ record: 'transactions', kind: 'made', count: 30 }]);
    if (!page.has_more) break;
  }
  assert.deepEqual(
    walked,
    Array.from({ length: 30 }, (_, at) => 1001 + at),
  );
});

test('the label of a token is shown as it is now, also when the token is revoked', async () => {
  const { hash } = newToken();
  const other = await engine.write(() =>
    createToken({ userId: book.userId, bookId: book.id, hash, label: 'phone', expiresAt: null }),
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
  const bens = (await others.send<HistoryPage>('GET', `${url}?limit=1000`)).body.history;
  assert.deepEqual(
    bens.map(({ operation }) => operation),
    ['fill'],
  );
  const [newest] = (await list('?limit=1')).history;
  assert.equal((await others.send('GET', `${url}/${newest!.version}`)).status, 404);
  const internal = await engine.write(() =>
    changing({ bookId: book.id, actor: 'command', operation: 'import' }, function* (change) {
      const form = { date: '2026-01-01', amount: 1, payee: 'P', is_pending: false };
      const of = { transaction_id: 1010, version: change.version };
      yield* change.insert(importForms, { ...form, ...of });
      return change.version;
    }),
  );
  const { counts, records, has_more } = await versionOf(internal);
  assert.deepEqual({ counts, records, has_more }, { counts: [], records: [], has_more: false });
});

test('what is wrong with a request is listed, and a version that is not there is refused', async () => {
  const wrong =
    'limit=1001&before=0&record=account_numbers&id=x&actor=%00&operation=%20&from=2026-02-30&other=1';
  assert.equal((await refused('GET', `${url}?${wrong}`)).length, 8);
  const messages = async (query: string) =>
    (await refused('GET', `${url}?${query}`)).map(({ errMsg }) => errMsg);
  assert.deepEqual(await messages('id=5&from=2026-02-02&to=2026-02-01&actor=Token%2012'), [
    'Query parameter actor must be an actor such as "token 12" or "command", not "Token 12"',
    'Missing query parameter record, which id needs',
    'Query parameter from must not be later than to "2026-02-01", not "2026-02-02"',
  ]);
  assert.deepEqual(await list('?from=2026-02-01&to=2026-02-01&actor=a%20b'), {
    ...{ history: [], has_more: false },
  });
  await refused('GET', `${url}/1.5`);
  await refused('GET', `${url}/2?limit=0&offset=-1`);
  for (const version of [0, -1, 1, 999, 9007199254740991])
    assert.equal((await send('GET', `${url}/${version}`)).status, 404, String(version));
  await engine.write(() => run(sql`UPDATE books SET pruned_version = 3 WHERE id = ${book.id}`));
  const { status, body } = await send<Refused>('GET', `${url}/3`);
  assert.deepEqual([status, body.errors[0]?.oldest_version], [410, 4]);
  assert.equal((await send('GET', `${url}/0`)).status, 404);
});

/** Changes a transaction as an actor. */
function change(actor: string, values: { readonly notes: string }): Promise<unknown> {
  const cause = { bookId: book.id, actor, operation: 'test' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const row = yield* find(transactions, { book_id: book.id, id: 1010 });
      return yield* change.update(transactions, row!, values);
    }),
  );
}
