import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../db/testing/engines.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { AccountProof } from '../accounts/proof-schema.ts';
import type { ManualAccount } from '../accounts/schema.ts';
import type { BulkOutcome } from './bulk/schema.ts';

const today = '2023-11-14';
const edits = '/coffer/transactions';
const bulk = '/coffer/transactions/bulk';

for (const { name, skip, open } of engines)
  test(`what a proved balance depends on: ${name}`, { skip }, async (t) => {
    const clock = () => Date.parse(`${today}T22:00:00Z`);
    const { ok, send, status } = await openBooks({ opened: await open(clock) });
    let names = 0;

    /** An account that is proved from 2022-12-31 to 2023-01-31, with a transaction before, in and after these days. */
    const proved = async () => {
      const values = { type: 'cash', currency: 'usd', balance: 100 };
      const named = { name: `Account ${(names += 1)}`, ...values };
      const { id } = await ok<ManualAccount>('POST', '/v2/manual_accounts', named);
      const own = { manual_account_id: id, currency: 'usd' };
      const transactions = [
        { date: '2022-12-31', amount: 5, ...own },
        { date: '2023-01-10', amount: 10, ...own },
        { date: '2023-02-01', amount: 20, ...own },
      ];
      const body = { transactions, skip_balance_update: true };
      const made = await ok<{ transactions: { id: number }[] }>('POST', '/v2/transactions', body);
      for (const [day, balance] of [
        ['2022-12-31', 130],
        ['2023-01-31', 120],
      ])
        await ok('POST', `/coffer/accounts/${id}/anchors`, { day, balance });
      return { id, rows: made.transactions.map((row) => row.id) };
    };
    const states = async (id: number) =>
      (await ok<AccountProof>('GET', `/coffer/accounts/${id}/proof`)).stretches.map(
        ({ state, to }) => `${to.day} ${state}`,
      );
    const refusals = async (url: string, payload: object) => {
      const refusal = await send<{ errors: object[] }>('POST', url, payload);
      assert.equal(refusal.status, 409);
      return refusal.body.errors as { transaction_id: number; proved_until: string }[];
    };
    const edit = (...all: readonly object[]) => ({ transactions: all });

    await t.test('is refused with the transaction and its days, and changes nothing', async () => {
      const { id, rows } = await proved();
      const other = await proved();
      const [before = 0, within = 0, after = 0] = rows;
      const changes = [
        { amount: 11 },
        { date: '2023-01-11' },
        { currency: 'eur' },
        { manual_account_id: other.id },
        { manual_account_id: null },
      ];
      for (const values of changes) {
        const body = edit({ id: before, payee: 'Fine' }, { id: within, payee: 'Not', ...values });
        const { status: code, body: refusal } = await send<{ errors: object[] }>(
          'PUT',
          edits,
          body,
        );
        assert.equal(code, 409, JSON.stringify(values));
        assert.deepEqual(refusal.errors, [
          {
            errMsg:
              'transactions[1] of 2023-01-10 is proved: the balance after 2022-12-31 and that of 2023-01-31 agree',
            ...{ transaction_index: 1, transaction_id: within },
            ...{ manual_account_id: id, plaid_account_id: null },
            ...{ proved_after: '2022-12-31', proved_until: '2023-01-31' },
          },
        ]);
      }
      const { transactions: listed } = await ok<{ transactions: { payee: string }[] }>(
        'GET',
        `/v2/transactions?manual_account_id=${id}`,
      );
      assert.ok(listed.every(({ payee }) => payee !== 'Fine' && payee !== 'Not'));
      await ok('PUT', edits, edit({ id: within, payee: 'Shop', notes: 'n', status: 'reviewed' }));
      await ok('PUT', edits, edit({ id: before, amount: 1 }, { id: after, date: '2023-02-02' }));
      assert.ok((await states(id)).includes('2023-01-31 proved'));
    });

    await t.test('changes with force, and is then not proved', async () => {
      const { id, rows } = await proved();
      const body = edit({ id: rows[1], amount: 11 });
      await ok('PUT', `${edits}?force=true`, body);
      assert.ok((await states(id)).includes('2023-01-31 broken'));
      await ok('PUT', edits, edit({ id: rows[1], amount: 10 }));
      assert.ok((await states(id)).includes('2023-01-31 proved'));
    });

    await t.test('is deleted in bulk with force only', async () => {
      const { id, rows } = await proved();
      const query = `?manual_account_id=${id}&start_date=2023-01-01&end_date=2023-01-31`;
      const deletion = { delete: true };
      for (const path of [bulk, `${bulk}/preview`]) {
        const errors = await refusals(`${path}${query}`, deletion);
        assert.deepEqual(pick(errors, 'transaction_id', 'proved_until'), [[rows[1], '2023-01-31']]);
        const update = { update: { payee: 'Other' } };
        assert.equal(await status('POST', `${path}${query}`, update), 200);
      }
      const forced = `${query}&force=true`;
      const seen = await ok<BulkOutcome>('POST', `${bulk}/preview${forced}`, deletion);
      const done = await ok<BulkOutcome>('POST', `${bulk}${forced}`, deletion);
      assert.deepEqual([seen.changed, done.changed], [1, 1]);
      assert.ok((await states(id)).includes('2023-01-31 broken'));
    });

    await t.test('gets another date, amount or account in bulk with force only', async () => {
      for (const update of [{ date: '2022-12-30' }, { amount: '3' }, { manual_account_id: null }]) {
        const { id, rows } = await proved();
        const query = `?manual_account_id=${id}&start_date=2023-01-01&end_date=2023-01-31`;
        for (const path of [bulk, `${bulk}/preview`])
          assert.deepEqual(pick(await refusals(`${path}${query}`, { update }), 'transaction_id'), [
            rows[1],
          ]);
        const forced = await ok<BulkOutcome>('POST', `${bulk}${query}&force=true`, { update });
        assert.equal(forced.changed, 1);
        assert.ok((await states(id)).includes('2023-01-31 broken'));
      }
    });

    await t.test('moves to another account by a merge with force only', async () => {
      const { id, rows } = await proved();
      const into = await proved();
      const path = `/coffer/manual_accounts/${id}/merge`;
      const body = { into_id: into.id };
      assert.deepEqual(pick(await refusals(path, body), 'transaction_id'), [rows[1]]);
      await ok('POST', `${path}?force=true`, body);
      assert.ok((await states(into.id)).includes('2023-01-31 broken'));
    });

    await t.test('changes over v1 and v2; the proof says which write did it', async () => {
      const split = [{ amount: 4 }, { amount: 6 }];
      const own = (account: number) => ({
        date: '2023-01-11',
        amount: 3,
        currency: 'usd',
        ...of(account),
      });
      const of = (account: number) => ({ manual_account_id: account });
      /** What each write is called, or null if the balance stays proved. */
      const writes: readonly (readonly [
        operation: string | null,
        write: (id: number, account: number) => Promise<unknown>,
      ])[] = [
        ['updateTransaction', (id) => ok('PUT', `/v2/transactions/${id}`, { amount: 11 })],
        [
          'updateTransaction',
          (id) => ok('PUT', `/v2/transactions/${id}`, { manual_account_id: null }),
        ],
        [
          'updateTransactions',
          (id) => ok('PUT', '/v2/transactions', edit({ id, date: '2023-02-03' })),
        ],
        ['deleteTransactionById', (id) => ok('DELETE', `/v2/transactions/${id}`)],
        ['deleteTransactions', (id) => ok('DELETE', '/v2/transactions', { ids: [id] })],
        [
          'createNewTransactions',
          (_, account) => ok('POST', '/v2/transactions', edit(own(account))),
        ],
        [null, (id) => ok('PUT', `/v2/transactions/${id}`, { payee: 'Other', status: 'reviewed' })],
        [null, (id) => ok('POST', `/v2/transactions/split/${id}`, { child_transactions: split })],
        [
          null,
          async (id, account) => {
            const { id: tag } = await ok<{ id: number }>('POST', '/v2/tags', {
              name: `T ${account}`,
            });
            await ok('PUT', `/v2/transactions/${id}`, { tag_ids: [tag] });
          },
        ],
        [
          'updateTransactionV1',
          (id) => ok('PUT', `/v1/transactions/${id}`, { transaction: { amount: '7' } }),
        ],
        [
          'updateTransactionV1',
          (id) => ok('PUT', `/v1/transactions/${id}`, { transaction: { date: '2023-03-01' } }),
        ],
        [
          'createNewTransactionsV1',
          (_, asset_id) =>
            ok(
              'POST',
              '/v1/transactions',
              edit({ date: '2023-01-11', amount: '3', currency: 'usd', asset_id }),
            ),
        ],
        [null, (id) => ok('PUT', `/v1/transactions/${id}`, { split })],
        [
          'unsplitTransactionV1',
          async (id) => {
            await ok('PUT', `/v1/transactions/${id}`, { split });
            const body = { parent_ids: [id], remove_parents: true };
            await ok('POST', '/v1/transactions/unsplit', body);
          },
        ],
      ];
      for (const [at, [operation, write]] of writes.entries()) {
        const { id, rows } = await proved();
        await write(rows[1]!, id);
        const { stretches } = await ok<AccountProof>('GET', `/coffer/accounts/${id}/proof`);
        const { state, ...stretch } = stretches.find(({ to }) => to.day === '2023-01-31')!;
        const found = [at, state, stretch.write?.operation ?? null];
        assert.deepEqual(found, [at, operation === null ? 'proved' : 'broken', operation]);
      }
    });

    await t.test('a balance that a request has moved proves nothing before it', async () => {
      const values = { name: 'Moved', type: 'cash', currency: 'usd', balance: 0 };
      const { id } = await ok<ManualAccount>('POST', '/v2/manual_accounts', values);
      await ok('POST', `/coffer/accounts/${id}/anchors`, { day: '2023-01-31', balance: 0 });
      const row = { date: today, amount: 10, manual_account_id: id, currency: 'usd' };
      const { transactions } = await ok<{ transactions: { id: number }[] }>(
        'POST',
        '/v2/transactions',
        { transactions: [row] },
      );
      assert.deepEqual(await states(id), [`${today} proved`]);
      await ok('PUT', edits, edit({ id: transactions[0]!.id, amount: 11 }));
    });
  });
