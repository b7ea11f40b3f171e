import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { usualEngines } from '../../../db/testing/engines.ts';
import { transfers } from '../../../db/tables/tables.ts';
import { openBooks, type TwoBooks } from '../../../http/testing/strict-client.ts';
import type { Transfer, TransferList } from './schema.ts';

const { stringify } = JSON;

/** A book with three accounts, one of them in dollars, and what a test does with its transfers. */
async function scene(open: (typeof usualEngines)[number]['open']) {
  const made = await openBooks({ opened: await open() });
  const account = async (name: string, currency = 'eur') => {
    const body = { name, type: 'cash', balance: '100', currency };
    return (await made.ok<{ id: number }>('POST', '/v2/manual_accounts', body)).id;
  };
  const [checking, savings, dollars] = [
    await account('Checking'),
    await account('Savings'),
    await account('Dollars', 'usd'),
  ];
  return { ...made, checking, savings, dollars, ...writing(made) };
}

function writing({ ok }: TwoBooks) {
  return {
    /** Inserts a transaction and returns its id. */
    row: async (amount: string, manual_account_id: number, rest: object = {}) => {
      const row = { date: '2026-03-02', amount, manual_account_id, ...rest };
      const body = { transactions: [row] };
      const made = await ok<{ transactions: { id: number }[] }>('POST', '/v2/transactions', body);
      return made.transactions[0]!.id;
    },
    pair: (sent_id: number, received_id: number) =>
      ok<Transfer>('POST', '/coffer/transfers', { sent_id, received_id }),
    list: async (query = '') =>
      (await ok<TransferList>('GET', `/coffer/transfers${query}`)).transfers,
  };
}

for (const { name, skip, open } of usualEngines)
  describe(`transfers on ${name}`, { skip }, () => {
    it('are made of two transactions, listed, found by them and their days, and broken', async () => {
      const { ok, status, changes, ben, row, pair, list, checking, savings } = await scene(open);
      const sent = await row('500', checking, { payee: 'To savings' });
      const received = await row('-498.5', savings, { date: '2026-03-04', payee: 'In' });
      await changes();
      const made = await pair(sent, received);
      const side = { currency: 'eur', plaid_account_id: null };
      const { created_at } = made;
      assert.deepEqual(made, {
        id: made.id,
        found_by: 'user',
        rate: null,
        fee: '1.5000',
        sent: {
          ...{ transaction_id: sent, date: '2026-03-02', amount: '500.0000', payee: 'To savings' },
          ...{ ...side, manual_account_id: checking },
        },
        received: {
          ...{ transaction_id: received, date: '2026-03-04', amount: '498.5000', payee: 'In' },
          ...{ ...side, manual_account_id: savings },
        },
        created_at,
      });
      const url = `/coffer/transfers/${made.id}`;
      assert.deepEqual(await ok('GET', url), made);
      const other = await row('20', savings);
      const second = await pair(other, await row('-20', checking, { date: '2026-03-09' }));
      assert.deepEqual(await list(), [second, made]);
      assert.deepEqual(await list('?limit=1&offset=1'), [made]);
      assert.deepEqual(await list(`?transaction_ids=${received},999`), [made]);
      assert.deepEqual(await list('?start_date=2026-03-09'), [second]);
      assert.deepEqual(await list('?start_date=2026-03-03&end_date=2026-03-04'), [made]);
      assert.equal(await ben.status('GET', url), 404);
      assert.equal(await ben.status('DELETE', url), 404);
      await ok('DELETE', url);
      assert.equal(await status('GET', url), 404);
      assert.deepEqual(await list(), [second]);
      const done = ['createTransfer', 'createNewTransactions', 'createNewTransactions'];
      assert.deepEqual(await changes(), [...done, 'createTransfer', 'deleteTransfer']);
    });

    it('are refused with all that is wrong, and change nothing', async () => {
      const { refused, row, pair, checking, savings, ben } = await scene(open);
      const out = await row('5', checking);
      const into = await row('-5', savings);
      const messages = async (sent_id: number, received_id: number) => {
        const body = { sent_id, received_id };
        return (await refused('POST', '/coffer/transfers', body)).map(({ errMsg }) => errMsg);
      };
      assert.deepEqual(await messages(into, out), [
        `Body property sent_id: transaction ${into} is no money out: its amount is -5.0000`,
        `Body property received_id: transaction ${out} is no money in: its amount is 5.0000`,
      ]);
      assert.deepEqual(await messages(9_999_999, 2001), [
        'Body property sent_id: transaction 9999999 does not exist',
        'Body property received_id: transaction 2001 does not exist',
      ]);
      const same = await row('-5', checking);
      assert.deepEqual(await messages(out, same), [
        `Body property received_id: transaction ${same} is in the same account as transaction ${out}`,
      ]);
      assert.deepEqual(await messages(1001, into), [
        'Body property sent_id: transaction 1001 has no account',
      ]);
      const { id } = await pair(out, into);
      assert.deepEqual(await messages(out, await row('-5', savings)), [
        `Body property sent_id: transaction ${out} is part of transfer ${id}: delete that first`,
      ]);
      await ben.refused('POST', '/coffer/transfers', { sent_id: out, received_id: into });
    });

    it('are made with both transactions, which move both balances, and undone as one', async () => {
      const { ok, refused, list, checking, savings, dollars, book } = await scene(open);
      const balanceOf = async (id: number) =>
        (await ok<{ balance: string }>('GET', `/v2/manual_accounts/${id}`)).balance;
      const [from_account, to_account] = [checking, savings].map((manual_account_id) => ({
        manual_account_id,
      }));
      const body = { date: '2026-03-02', amount: '40.5', from_account, to_account };
      const url = '/coffer/transfers/rows';
      const made = await ok<Transfer>('POST', url, body);
      const [sent, received] = [made.sent, made.received];
      assert.deepEqual([sent.payee, sent.amount], ['Savings', '40.5000']);
      assert.deepEqual([received.payee, received.amount], ['Checking', '40.5000']);
      assert.deepEqual(
        [await balanceOf(checking), await balanceOf(savings)],
        ['59.5000', '140.5000'],
      );
      const abroad = { ...body, to_account: { manual_account_id: dollars } };
      const [needed] = await refused('POST', url, abroad);
      assert.match(stringify(needed), /received_amount is needed: \\"Checking\\" is in eur and/);
      const converted = await ok<Transfer>('POST', url, { ...abroad, received_amount: '48.6' });
      assert.deepEqual([converted.rate, converted.fee], [1.2, null]);
      const bad = { ...body, amount: '0', from_account: {}, to_account: { plaid_account_id: 77 } };
      assert.deepEqual(
        (await refused('POST', url, bad)).map(({ errMsg }) => errMsg),
        [
          'Body property from_account must have one of manual_account_id and plaid_account_id',
          'Body property to_account: there is no plaid account 77',
          'Body property amount must be above 0, not "0"',
        ],
      );
      const [same] = await refused('POST', url, { ...body, to_account: from_account });
      assert.match(stringify(same), /to_account is \\"Checking\\", as from_account is/);
      await ok('POST', '/coffer/undo', {});
      assert.equal((await list()).length, 1);
      assert.equal(await balanceOf(dollars), '100.0000');
      assert.equal((await book.rows(transfers)).length, 1);
    });

    it('are in no sum of Coffer, while the summary stays as documented', async () => {
      const { ok, row, pair, checking, savings } = await scene(open);
      const of = { date: '2026-05-02' };
      const category_id = (await ok<{ id: number }>('POST', '/v2/categories', { name: 'Food' })).id;
      await row('30', checking, { ...of, category_id });
      const made = await pair(
        await row('500', checking, { ...of, category_id }),
        await row('-500', savings, { date: '2026-06-01' }),
      );
      const sums = async (query: string) => {
        const months = 'start_month=2026-05&end_month=2026-06';
        const url = `/coffer/sums?${months}&by=month,account&${query}`;
        const found = await ok<{ sums: Record<string, unknown>[] }>('GET', url);
        return found.sums.map(({ month, manual_account_id: id, count, total }) =>
          [month, id, count, total].join(' '),
        );
      };
      const [sent, received] = [`2026-05 ${checking} 1 500.0000`, `2026-06 ${savings} 1 -500.0000`];
      assert.deepEqual(await sums(''), [`2026-05 ${checking} 1 30.0000`]);
      assert.deepEqual(await sums('transfers=sent'), [sent]);
      assert.deepEqual(await sums('transfers=received'), [received]);
      const counted = [`2026-05 ${checking} 2 530.0000`, received];
      assert.deepEqual(await sums('transfers=counted'), counted);
      const summary = '/v2/summary?start_date=2026-05-01&end_date=2026-05-31&include_totals=true';
      assert.match(stringify(await ok('GET', summary)), /530/);
      await ok('DELETE', `/coffer/transfers/${made.id}`);
      assert.deepEqual(await sums(''), counted);
    });

    it('are suggested up to the present day, so the ETag changes with the book and the day', async () => {
      const { send, row, checking, made } = await scene(open);
      const etag = async () => (await send('GET', '/coffer/transfers/suggestions')).etag;
      const first = await etag();
      assert.equal(await etag(), first);
      await row('5', checking);
      const second = await etag();
      assert.notEqual(second, first);
      made.clock.advance(86_400_000);
      assert.notEqual(await etag(), second);
    });

    it('go with a transaction that is removed, and come back with it', async () => {
      const { ok, row, pair, list, checking, savings, book } = await scene(open);
      const made = await pair(await row('5', checking), await row('-5', savings));
      await ok('DELETE', `/v2/transactions/${made.received.transaction_id}`);
      assert.deepEqual(await book.rows(transfers), []);
      await ok('POST', '/coffer/undo', {});
      assert.deepEqual(await list(), [made]);
      await ok('DELETE', `/v2/manual_accounts/${savings}?delete_items=true`);
      assert.deepEqual(await book.rows(transfers), []);
      await ok('POST', '/coffer/undo', {});
      assert.deepEqual(await list(), [made]);
    });

    it('of a transaction whose making is undone go and come back with it', async () => {
      const { ok, row, pair, list, checking, savings, book } = await scene(open);
      const sent = await row('5', checking);
      const received = await row('-5', savings);
      const version = await book.version();
      const made = await pair(sent, received);
      await ok('POST', `/coffer/history/${version}/undo`);
      assert.deepEqual(await book.rows(transfers), []);
      await ok('POST', `/coffer/history/${version + 2}/undo`);
      assert.deepEqual(await list(), [made]);
    });

    it('do not count while a transaction is split, grouped, turned or in the other account', async () => {
      const { ok, row, pair, list, checking, savings, made: app } = await scene(open);
      const sent = await row('5', checking);
      const received = await row('-5', savings);
      const made = await pair(sent, received);
      const parts = { child_transactions: [{ amount: '2' }, { amount: '3' }] };
      await ok('POST', `/v2/transactions/split/${sent}`, parts);
      assert.deepEqual(await list(), []);
      await ok('POST', '/coffer/undo', {});
      assert.deepEqual(await list(), [made]);
      for (const change of [{ amount: '-5' }, { manual_account_id: savings }]) {
        await ok('PUT', `/v2/transactions/${sent}`, change);
        assert.deepEqual(await list(), []);
        await ok('POST', '/coffer/undo', {});
        assert.deepEqual(await list(), [made]);
      }
      await ok('PUT', `/v2/transactions/${sent}`, { amount: '5.75' });
      assert.deepEqual(
        (await list()).map(({ fee }) => fee),
        ['0.7500'],
      );
      // A pair that does not count makes way for a new one.
      await ok('PUT', `/v2/transactions/${sent}`, { manual_account_id: savings });
      const other = await row('-5', checking);
      assert.equal((await pair(sent, other)).received.transaction_id, other);
      assert.deepEqual(await checkDatabase(app.engine, { repair: false }), []);
    });

    it('stay when an account is merged into a third one, and do not count within one', async () => {
      const { ok, row, pair, list, checking, savings } = await scene(open);
      const made = await pair(await row('5', checking), await row('-5', savings));
      const third = await ok<{ id: number }>('POST', '/v2/manual_accounts', {
        ...{ name: 'Third', type: 'cash', balance: '0', currency: 'eur' },
      });
      const into = { into_id: third.id };
      await ok('POST', `/coffer/manual_accounts/${savings}/merge`, into);
      assert.equal((await list())[0]?.received.manual_account_id, third.id);
      await ok('POST', `/coffer/manual_accounts/${checking}/merge`, into);
      assert.deepEqual(await list(), []);
      await ok('POST', '/coffer/undo', {});
      assert.equal((await list())[0]?.id, made.id);
    });
  });
