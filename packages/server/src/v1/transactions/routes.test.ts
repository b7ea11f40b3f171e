import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  makeWriteClient,
  type WriteClient,
} from '../../ledger/transactions/testing/write-client.ts';
import type { TransactionV1 } from './schema.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';

interface Page {
  readonly transactions: readonly TransactionV1[];
  readonly has_more: boolean;
}

const day = '2023-11-05';
const month = 'start_date=2023-11-01&end_date=2023-11-30';
const money = { amount: 12_300, to_base: 6150, status: 'unreviewed', date: day, payee: 'P' };

/** A book of its own. The clock of the service is in November 2023. */
async function makeBook(): Promise<WriteClient> {
  const client = await makeWriteClient();
  after(() => client.made.app.close());
  const add: WriteClient['add'] = (...rows) =>
    client.add(...rows.map((row) => ({ ...money, ...row })));
  return { ...client, add };
}

async function listed({ send }: WriteClient, query: string): Promise<readonly TransactionV1[]> {
  const { status, body } = await send<Page>('GET', `/v1/transactions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.transactions;
}

const ids = (rows: readonly TransactionV1[]) => rows.map(({ id }) => id);

test('v1 lists everything at once, filtered, the newest page in ascending order', async () => {
  const client = await makeBook();
  const { scene, send } = client;
  const made = await client.add(
    { date: '2023-11-30', amount: 20_000, to_base: 20_000, category_id: scene.food },
    { date: '2023-11-01', manual_account_id: scene.cash, tag_ids: `[${scene.tagA}]` },
    { date: '2023-11-01', status: 'reviewed' },
    { plaid_account_id: scene.bank, is_pending: true },
    { plaid_account_id: scene.bank, status: 'delete_pending' },
    { date: '2023-10-31' },
    { date: '2023-12-01' },
  );
  const [parent, asset, reviewed, pending, gone] = made as [number, number, number, number, number];
  const split = { child_transactions: [{ amount: 0.5 }, { amount: 1.5 }] };
  const splitUrl = `/v2/transactions/split/${parent}`;
  const { body } = await send<{ children: { id: number }[] }>('POST', splitUrl, split);
  const [first, second] = body.children.map(({ id }) => id) as [number, number];
  const grouped = { date: '2023-11-06', payee: 'G', transactions: [asset, reviewed] };
  const { body: group } = await send<number>('POST', '/v1/transactions/group', grouped);
  const all = [asset, reviewed, gone, group, parent, first, second];
  // Without dates it is the current month; unknown parameters are ignored.
  const rows = await listed(client, 'is_pending=1&colour=red');
  assert.deepEqual(ids(rows), all);
  const filtered: [string, number[]][] = [
    ['', all],
    ['pending=true', [asset, reviewed, pending, gone, group, parent, first, second]],
    ['status=cleared&pending=true', [reviewed]],
    ['status=uncleared&pending=true', all.filter((id) => id !== reviewed)],
    ['status=pending', [pending]],
    ['status=recurring', []],
    ['status=recurring_suggested', []],
    [`category_id=${scene.food}`, [parent, first, second]],
    [`tag_id=${scene.tagA}`, [asset]],
    [`asset_id=${scene.cash}`, [asset]],
    [`plaid_account_id=${scene.bank}`, [gone]],
    ['recurring_id=9', []],
    ['is_group=true', [group]],
    ['is_group=True', [group]],
    ['is_group=TRUE', [group]],
    ['is_group=false', all.filter((id) => id !== group)],
    [`group_id=${group}`, [asset, reviewed]],
    ['limit=1000000', all],
  ];
  for (const [query, expected] of filtered)
    assert.deepEqual(ids(await listed(client, `${month}&${query}`)), expected, query);
  const pages: unknown[] = [];
  for (const page of ['3&offset=0', '3&offset=3', '3&offset=6', '7']) {
    const { body } = await send<Page>('GET', `/v1/transactions?limit=${page}`);
    pages.push([ids(body.transactions), body.has_more]);
  }
  assert.deepEqual(pages, [
    [[parent, first, second], true],
    [[reviewed, gone, group], true],
    [[asset], false],
    [all, false],
  ]);
});

/* What both versions show after any writes is in mapping.property.test.ts. */

test('without a new transaction the response is 204 without a body, also repeated', async () => {
  const { app, ada } = await makeTestApp();
  const transactions = [{ date: '2025-12-31', amount: '10', payee: 'Once' }];
  const post = (body: object, key: string) => {
    const headers = { ...as(ada), 'content-type': 'application/json', 'idempotency-key': key };
    const payload = JSON.stringify(body);
    return app.inject({ method: 'POST', url: '/v1/transactions', headers, payload });
  };
  for (const key of ['a', 'b'])
    assert.match((await post({ transactions }, key)).body, /^\{"ids":\[\d+\]\}$/);
  for (const replayed of [undefined, 'true']) {
    const response = await post({ transactions, skip_duplicates: true }, 'k');
    assert.deepEqual([response.statusCode, response.body], [204, '']);
    assert.equal(response.headers['idempotency-replayed'], replayed);
  }
});
