import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { select } from '../../../db/rows.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { makeWriteClient, type WriteClient } from '../testing/write-client.ts';
import { runs } from '../../../../../core/src/testing/length.ts';

const row = { date: '2026-01-05', currency: 'eur', payee: 'Shop' };

/** A split of 9 into parts of 4, 3 and 2, and a group of members of 5 and 6. */
interface Arranged {
  readonly client: WriteClient;
  readonly whole: number;
  readonly parts: readonly number[];
  readonly group: number;
  readonly members: readonly number[];
}

async function arrange(): Promise<Arranged> {
  const client = await makeWriteClient();
  const { send, scene } = client;
  const at = { ...row, manual_account_id: scene.cash };
  const made = await client.insert(
    ...[9, 5, 6].map((amount) => ({ ...at, amount, payee: `${amount}` })),
  );
  const [whole = 0, ...members] = made.transactions.map(({ id }) => id);
  const amounts = { split: [{ amount: 4 }, { amount: 3 }, { amount: 2 }] };
  const split = await send<{ split: number[] }>('PUT', `/v1/transactions/${whole}`, amounts);
  const body = { ids: members, date: row.date, payee: 'Group' };
  const group = await send<{ id: number }>('POST', '/v2/transactions/group', body);
  assert.equal(group.status, 201);
  return { client, whole, parts: split.body.split, group: group.body.id, members };
}

/** Sends changes of one transaction, which must succeed. */
async function put({ client }: Arranged, id: number, transaction: object, others = {}) {
  const body = { transaction, ...others };
  const { status, body: sent } = await client.send('PUT', `/v1/transactions/${id}`, body);
  assert.deepEqual([status, sent], [200, { updated: true }], JSON.stringify(sent));
}

async function amounts({ client }: Arranged, ids: readonly number[]): Promise<number[]> {
  const rows = await Promise.all(ids.map(client.rowOf));
  return rows.map((each) => each!.amount / 10_000);
}

test('the parts keep their sum, whichever part or original gets another amount', async () => {
  const arranged = await arrange();
  const { whole, parts } = arranged;
  const [first = 0, , last = 0] = parts;
  const ids = [whole, ...parts];
  for (const [id, amount, ...expected] of [
    [first, '5', 9, 5, 3, 1],
    [last, -1, 9, 5, 5, -1],
    [whole, 11, 11, 5, 5, 1],
    [whole, 0, 0, 5, 5, -10],
  ] as const) {
    await put(arranged, id, { amount });
    assert.deepEqual(await amounts(arranged, ids), expected);
  }
});

test('the original follows its only part', async () => {
  const arranged = await arrange();
  const { client, whole } = arranged;
  await client.send('POST', '/v1/transactions/unsplit', { parent_ids: [whole] });
  const split = { split: [{ amount: 9 }] };
  const made = await client.send<{ split: number[] }>('PUT', `/v1/transactions/${whole}`, split);
  const before = (await client.balance(client.scene.cash))!;
  const [part = 0] = made.body.split;
  await put(arranged, part, { amount: 7 }, { skip_balance_update: false });
  assert.deepEqual(await amounts(arranged, [whole, part]), [7, 7]);
  assert.equal(await client.balance(client.scene.cash), before + 20_000);
});

test('a split has one currency and one account, and its balance moves once', async () => {
  const arranged = await arrange();
  const { client, whole, parts } = arranged;
  const { card, cash } = client.scene;
  const [ofCash, ofCard] = [(await client.balance(cash))!, (await client.balance(card))!];
  const moved = { asset_id: card, currency: 'usd', tags: ['b'], notes: 'N' };
  await put(arranged, parts[1]!, moved, { skip_balance_update: false });
  const rows = await Promise.all([whole, ...parts].map(client.rowOf));
  for (const each of rows)
    assert.deepEqual([each!.manual_account_id, each!.currency], [card, 'usd']);
  assert.deepEqual(
    rows.map((each) => each!.notes),
    [null, null, 'N', null],
  );
  const base = rows.map((each) => each!.to_base);
  assert.equal(base[0], base[1]! + base[2]! + base[3]!);
  assert.equal(await client.balance(cash), ofCash + 90_000);
  assert.notEqual(await client.balance(card), ofCard);
});

test('a group has the total of its members, and nothing else of its own', async () => {
  const arranged = await arrange();
  const { client, group, members } = arranged;
  await put(arranged, members[0]!, { amount: '7.5', notes: 'N', status: 'uncleared' });
  assert.deepEqual(await amounts(arranged, [group, ...members]), [13.5, 7.5, 6]);
  const own = { payee: 'G', notes: 'M', category_id: client.scene.food, tags: ['a'] };
  const ignored = { amount: 1, currency: 'usd', asset_id: client.scene.cash };
  await put(arranged, group, { ...own, ...ignored, date: '2026-03-01' });
  const { amount, to_base, currency, manual_account_id, payee, date } =
    (await client.rowOf(group))!;
  assert.deepEqual([amount, to_base, currency, manual_account_id], [135_000, 135_000, 'eur', null]);
  assert.deepEqual([payee, date], ['G', '2026-03-01']);
  await put(arranged, members[1]!, { currency: 'usd' });
  const [total, ...parts] = await Promise.all([group, ...members].map(client.rowOf));
  assert.equal(total!.to_base, parts[0]!.to_base + parts[1]!.to_base);
  assert.equal(total!.amount, total!.to_base);
});

test('what is not sent stays, and an original and a group cannot get a recurring item', async () => {
  const arranged = await arrange();
  const { client, whole, parts, group } = arranged;
  const untouched = await client.rowOf(parts[2]!);
  await put(arranged, parts[0]!, { tags: ['b'], date: '2026-02-01' });
  assert.deepEqual(await client.rowOf(parts[2]!), untouched);
  const criteria = { anchor_date: '2026-01-05', granularity: 'month', quantity: 1, amount: '1' };
  const item = { transaction_criteria: { ...criteria, payee: 'X' } };
  const { body } = await client.send<{ id: number }>('POST', '/coffer/recurring_items', item);
  for (const id of [whole, group]) {
    const url = `/v1/transactions/${id}`;
    const refused = await client.send('PUT', url, { transaction: { recurring_id: body.id } });
    const text = 'Split and group transactions cannot have a recurring item';
    assert.deepEqual([refused.status, refused.body], [404, { error: [text] }]);
  }
});

test('the doctor finds nothing after any changes of splits and groups, and undos restore them', async () => {
  const arranged = await arrange();
  const { client, whole, parts, group, members } = arranged;
  const { cash, card, bank } = client.scene;
  const change = fc.record(
    {
      amount: fc.integer({ min: -100_000, max: 100_000 }).map((each) => each / 10_000),
      currency: fc.constantFrom('eur', 'usd', 'jpy'),
      date: fc.constantFrom('2026-01-05', '2025-06-01'),
      asset_id: fc.constantFrom(cash, card, null),
      payee: fc.constantFrom('A', 'B'),
    },
    { requiredKeys: ['payee'] },
  );
  const all = [whole, ...parts, group, ...members];
  const state = async () => {
    const rows = await Promise.all(all.map(client.rowOf));
    return [rows.map((row) => ({ ...row, updated_at: '' })), await client.balance(cash)];
  };
  const id = fc.constantFrom(...all);
  const flags = fc.record({ skip_balance_update: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(id, change, flags, async (one, transaction, others) => {
      const before = await state();
      await client.changes();
      const isUndone = transaction.payee === 'B';
      await put(arranged, one, transaction, others);
      if (isUndone && (await client.changes()).length > 0) {
        assert.equal((await client.send('POST', '/coffer/undo')).status, 200);
        assert.deepEqual(await state(), before);
      }
      const { engine } = client.made;
      const book_id = client.made.ada.identity.book.id;
      const rows = await engine.read(() => select(transactions, { book_id }));
      const byId = new Map(rows.map((each) => [each.id, each]));
      const base = (ids: readonly number[]) =>
        ids.reduce((total, each) => total + byId.get(each)!.to_base, 0);
      assert.equal(base(parts), base([whole]));
      assert.equal(base(members), base([group]));
      assert.equal(byId.get(whole)!.plaid_account_id, byId.get(parts[0]!)!.plaid_account_id);
      assert.notEqual(byId.get(whole)!.plaid_account_id, bank);
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    }),
    { numRuns: runs(40) },
  );
});

test('one request changes several parts of a split, and a group with its members', async () => {
  const arranged = await arrange();
  const { client, whole, parts, group, members } = arranged;
  const [first = 0, second = 0, last = 0] = parts;
  const { food, tagB } = client.scene;
  const edit = (...transactions: object[]) =>
    client.send<{ transactions: { id: number }[] }>('PUT', '/coffer/transactions', {
      transactions,
    });
  await client.changes();
  const texts = { category_id: food, tag_ids: [tagB], status: 'reviewed', notes: 'N' };
  const ids = [...parts, group, members[0]!, whole];
  const { status, body } = await edit(...ids.map((id) => ({ id, ...texts })));
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.transactions.map(({ id }) => id),
    ids,
  );
  for (const each of await Promise.all(ids.map(client.rowOf)))
    assert.deepEqual(
      [each!.category_id, each!.tag_ids, each!.status, each!.notes],
      [food, `[${tagB}]`, 'reviewed', 'N'],
    );
  assert.deepEqual(await client.changes(), ['editTransactions']);
  const amountsAfter = async (...rows: object[]) => {
    const sent = await edit(...rows);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return amounts(arranged, [whole, ...parts, group, ...members]);
  };
  const two = [
    { id: first, amount: 1 },
    { id: last, amount: 2 },
  ];
  assert.deepEqual(await amountsAfter(...two), [9, 1, 6, 2, 11, 5, 6]);
  const every = parts.map((id) => ({ id, amount: 4 }));
  assert.deepEqual(await amountsAfter(...every), [12, 4, 4, 4, 11, 5, 6]);
  const both = members.map((id) => ({ id, amount: 10 }));
  assert.deepEqual(
    await amountsAfter({ id: group, payee: 'G' }, ...both),
    [12, 4, 4, 4, 20, 10, 10],
  );
  assert.equal((await client.rowOf(group))!.payee, 'G');
  const wrong = [...every.map((each) => ({ ...each, amount: 5 })), { id: whole, amount: 16 }];
  const refused = await client.refused('PUT', '/coffer/transactions', { transactions: wrong });
  assert.deepEqual(
    refused.map(({ errMsg }) => errMsg),
    [`transactions[3] the parts of transaction ${whole} must have its amount as their sum`],
  );
  await edit({ id: second, date: '2026-02-03', amount: 3 }, { id: whole, manual_account_id: null });
  assert.deepEqual((await client.rowOf(second))!.manual_account_id, null);
  assert.deepEqual(await checkDatabase(client.made.engine, { repair: false }), []);
});
