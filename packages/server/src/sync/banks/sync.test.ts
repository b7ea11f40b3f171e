import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { runs } from '../../../../core/src/testing/length.ts';
import { syncJob } from '../../all-jobs.ts';
import { undo } from '../../book/undo.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import { run } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { connections, plaidAccounts, syncRequests, transactions } from '../../db/tables/tables.ts';
import { onEnginesAt } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { removeTransactions, updateTransactions } from '../../ledger/transactions/writes.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { sealCredentials } from '../../outside/credentials.ts';
import { startSimplefinServer } from '../testing/simplefin-server.ts';
import type { SimplefinServer, SimplefinTransaction } from '../testing/simplefin-server.ts';
import { addConnection, listConnections, removeConnection, requestSync } from './actions.ts';
import { createBankReader } from './bank-reader.ts';
import { claimAccess } from './simplefin.ts';
import { synchronise } from './synchronise.ts';

const byCommand = { actor: 'command', operation: 'sync' };
const key = Buffer.alloc(32, 7);
const nowMs = Date.parse('2026-03-20T12:00:00.000Z');
const now = () => nowMs;
const signal = new AbortController().signal;
const reader = createBankReader({ encryptionKey: key, now });
const at = (date: string): number => Date.parse(`${date}T12:00:00Z`) / 1000;
const posted = (id: string, date: string, amount: string, description = 'Shop') => ({
  id,
  posted: at(date),
  amount,
  description,
});
const pending = (id: string, date: string, amount: string, description = 'Shop') => ({
  id,
  posted: 0,
  transacted_at: at(date),
  pending: true,
  amount,
  description,
});

onEnginesAt('connections to banks', now, (open, engineName) => {
  let server: SimplefinServer;
  before(async () => {
    server = await startSimplefinServer();
  });
  after(() => server.close());

  async function newConnection() {
    await server.fail(null);
    server.setErrors([]);
    const book = await open();
    const { engine, id: bookId } = book;
    const connect = async (name: string) => {
      const accessUrl = await claimAccess(server.newToken(), { signal });
      const sealed_credentials = sealCredentials(key, bookId, { provider: 'simplefin', accessUrl });
      const connection = { provider: 'simplefin', name, sealed_credentials } as const;
      return (await addConnection(engine, { bookId, ...byCommand }, connection)).id;
    };
    let id = await connect('Bank');
    const remove = () => removeConnection(engine, { bookId, ...byCommand }, id);
    const one = async () => (await book.read(() => find(connections, { book_id: bookId, id })))!;
    const read = async (range: { from: string; to: string } | null = null, keepsGone = false) =>
      synchronise({ engine, reader, connection: await one(), range, nowMs, keepsGone });
    return {
      book,
      one,
      remove,
      read,
      replace: async () => {
        await remove();
        id = await connect('Again');
      },
      rows: () => book.rows(transactions),
      accounts: () => book.rows(plaidAccounts),
      sync: (sent: readonly SimplefinTransaction[], keepsGone = false) => {
        const account = { id: 'A', name: 'Checking (1234)', currency: 'USD', balance: '100.50' };
        server.setAccounts([{ ...account, transactions: sent }]);
        return read({ from: '2026-02-01', to: '2026-03-20' }, keepsGone);
      },
      change: async (columns: Partial<Row<typeof transactions>>, at = 0) => {
        const row = (await book.rows(transactions))[at]!;
        await book.change((change) => change.update(transactions, row, columns));
      },
      edit: async (at: number, columns: Partial<Row<typeof transactions>> | null) => {
        const before = (await book.rows(transactions))[at]!;
        await book.change(function* (change) {
          if (columns === null) yield* removeTransactions(change, [before]);
          else yield* updateTransactions(change, [{ before, columns }]);
        });
        return before.id;
      },
    };
  }

  it('are claimed once, and store accounts and transactions with the signs of the API', async () => {
    const { accounts, rows, sync, one } = await newConnection();
    const saved = await sync([
      { ...posted('t1', '2026-03-01', '-12.30', 'Baker'), memo: 'bread' },
      posted('t2', '2026-03-02', '2000', 'Work'),
      pending('t3', '2026-03-03', '-1'),
    ]);
    assert.deepEqual(saved, { added: 3, changed: 0, withdrawn: 0, problems: [] });
    const [baker, work, shop] = await rows();
    const expected = { amount: 123_000, payee: 'Baker', notes: 'bread', date: '2026-03-01' };
    assert.deepEqual({ ...baker, ...expected, source: 'plaid' }, baker);
    assert.deepEqual({ ...work, amount: -20_000_000, status: 'unreviewed' }, work);
    assert.equal(shop!.is_pending, true);
    const [account] = await accounts();
    const names = { name: 'Checking (1234)', institution_name: 'Test Bank', mask: '1234' };
    const state = { balance: 1_005_000, type: 'depository', status: 'active' };
    assert.deepEqual({ ...account, ...names, ...state }, account);
    assert.equal((await one()).last_read, '2026-03-20T12:00:00.000Z');
    const token = server.newToken();
    await claimAccess(token, { signal });
    await assert.rejects(claimAccess(token, { signal }), { reason: 'refused' });
    for (const wrong of ['', 'x', Buffer.from('http://bank.example/').toString('base64')])
      await assert.rejects(claimAccess(wrong, { signal }), { reason: 'nonsense' });
  });

  it('change nothing when nothing is new', async () => {
    const { rows, sync } = await newConnection();
    const sent = [posted('t1', '2026-03-01', '-1'), pending('t2', '2026-03-02', '-2')];
    await sync(sent);
    const before = await rows();
    assert.deepEqual(await sync(sent), { added: 0, changed: 0, withdrawn: 0, problems: [] });
    assert.deepEqual(await rows(), before);
  });

  it('turn pending transactions into posted ones, with what the user wrote', async () => {
    const { rows, sync, change } = await newConnection();
    await sync([pending('p1', '2026-03-01', '-5', 'SHOP 12'), pending('p2', '2026-03-01', '-6')]);
    await change({ notes: 'mine' });
    const shop = posted('x1', '2026-03-03', '-5', 'The shop');
    await sync([shop, posted('p2', '2026-03-02', '-6.5')]);
    assert.deepEqual(pick(await rows(), 'remote_id', 'is_pending', 'notes', 'payee', 'amount'), [
      ['x1', false, 'mine', 'The shop', 50_000],
      ['p2', false, null, 'Shop', 65_000],
    ]);
    assert.equal((await rows())[0]!.date, '2026-03-03');
  });

  it('remove withdrawn transactions, unless the user changed them', async () => {
    const { rows, sync, change } = await newConnection();
    await sync([pending('p1', '2026-03-01', '-5'), pending('p2', '2026-03-01', '-6')]);
    await change({ notes: 'mine' }, 1);
    assert.equal((await sync([]))?.withdrawn, 2);
    assert.deepEqual(pick(await rows(), 'remote_id', 'status'), [['p2', 'delete_pending']]);
    assert.equal((await sync([]))?.withdrawn, 0);
    await sync([pending('p2', '2026-03-01', '-6')]);
    assert.equal((await rows())[0]!.status, 'unreviewed');
  });

  it('leave out what a user deleted or moved, with the reason, and keep dates and amounts of users', async () => {
    const { book, rows, sync, edit } = await newConnection();
    const sent = [
      ...['-1', '-2', '-3', '-4'].map((amount, n) => posted(`t${n}`, `2026-03-0${n + 1}`, amount)),
      pending('p1', '2026-03-05', '-5', 'Gym'),
    ];
    await sync(sent);
    const own = { plaid_account_id: null };
    await edit(4, null);
    const moved = await edit(1, own);
    await edit(2, { date: '2026-05-01', amount: 77 });
    const deleted = await edit(0, null);
    const problems = [
      `The account "Checking (1234)" has 2026-03-01 -1.0000 "Shop", which was left out: you deleted transaction ${deleted}`,
      `The account "Checking (1234)" has 2026-03-02 -2.0000 "Shop", which was left out: you moved transaction ${moved} to another account`,
    ];
    for (let time = 0; time < 2; time += 1) {
      const { problems: found = [], ...saved } = (await sync(sent)) ?? {};
      assert.deepEqual(found.slice(0, 2), problems);
      assert.match(found[2] ?? '', /2026-03-05 -5\.0000 "Gym".*you deleted/);
      assert.deepEqual(saved, { added: 0, changed: 0, withdrawn: 0 });
    }
    // The pending one is posted with another id, and a third transaction is corrected by the bank in its amount only.
    const later = [
      ...sent.slice(0, 2),
      posted('t2', '2026-03-03', '-3.5'),
      sent[3]!,
      posted('x', '2026-03-06', '-5', 'Gym '),
    ];
    const last = await sync(later);
    assert.deepEqual([last!.added, last!.changed, last!.problems.length], [0, 1, 3]);
    const shown = async () => pick(await rows(), 'remote_id', 'date', 'amount');
    const kept = [
      ['t1', '2026-03-02', 20_000],
      ['t2', '2026-05-01', 35_000],
      ['t3', '2026-03-04', 40_000],
    ];
    assert.deepEqual(await shown(), kept);
    await edit(1, { amount: 36_000, to_base: 36_000 });
    await sync(later);
    assert.equal((await rows())[1]!.amount, 36_000);
    assert.equal((await sync(later, true))?.added, 3);
    assert.deepEqual(await sync(later), { added: 0, changed: 0, withdrawn: 0, problems: [] });
    // An undo brings it back.
    await edit(2, null);
    await book.change((change) => undo(change, change.version - 1));
    assert.equal((await sync(later))?.problems.length, 0);
  });

  it('mark posted transactions that the bank leaves out, and never remove them', async () => {
    const { rows, sync } = await newConnection();
    const [old, middle, recent] = ['2026-02-10', '2026-02-20', '2026-03-01'].map((date) =>
      posted(date, date, '-1'),
    );
    await sync([old!, middle!, recent!]);
    await sync([old!, recent!]);
    const statuses = ['unreviewed', 'delete_pending', 'unreviewed'];
    assert.deepEqual(pick(await rows(), 'status'), statuses);
    await sync([recent!]);
    assert.equal((await rows())[0]!.status, 'unreviewed');
  });

  it('keep the amounts of split transactions', async () => {
    const { rows, sync, change } = await newConnection();
    await sync([posted('t1', '2026-03-01', '-5')]);
    await change({ is_split_parent: true });
    await sync([posted('t1', '2026-03-01', '-7')]);
    assert.equal((await rows())[0]!.amount, 50_000);
    // The doctor looks at the whole database below.
    await change({ is_split_parent: false });
  });

  it('report what is wrong with accounts and transactions, and store the others', async () => {
    const { accounts, sync, read, one } = await newConnection();
    server.setErrors(['You must sign in again at Test Bank']);
    const wrong = { id: '', posted: at('2026-03-01'), amount: '1', description: '' };
    const others = [posted('t', '2026-03-01', '1e9'), posted('u', '2026-03-01', '2')];
    const saved = await sync([wrong, ...others]);
    assert.equal(saved?.added, 1);
    assert.deepEqual(saved.problems, [
      'You must sign in again at Test Bank',
      'A transaction of the account "Checking (1234)" has no id',
      'A transaction of the account "Checking (1234)" has the amount "1e9"',
    ]);
    assert.equal((await one()).problems?.split('\n').length, 3);
    server.setErrors([]);
    const odd = { id: 'B', name: 'Points', currency: 'https://x.example/points', balance: '1' };
    server.setAccounts([{ ...odd, transactions: [] }]);
    await read();
    assert.match((await one()).problems ?? '', /unknown currency/);
    assert.equal((await accounts()).length, 1);
  });

  it('need to be linked again when the bridge refuses the client, and keep the rest on other failures', async () => {
    const { accounts, sync, one, read } = await newConnection();
    await sync([posted('t1', '2026-03-01', '-5')]);
    const before = await one();
    for (const fault of ['down', 'html', { status: 500 }, 'endless'] as const) {
      await server.fail(fault);
      await assert.rejects(read());
      assert.deepEqual(await one(), before);
    }
    await server.fail({ status: 403 });
    await assert.rejects(read(), { reason: 'refused' });
    assert.equal((await one()).status, 'relink');
    assert.deepEqual(pick(await accounts(), 'status'), ['relink']);
    await server.fail(null);
    await read();
    assert.equal((await one()).status, 'active');
  });

  it('that are removed leave their accounts to the next one', async () => {
    const { accounts, rows, sync, replace, read } = await newConnection();
    await sync([posted('t1', '2026-03-01', '-5')]);
    await replace();
    assert.deepEqual(pick(await accounts(), 'status'), ['revoked']);
    assert.equal((await read())?.added, 0);
    assert.deepEqual(pick(await accounts(), 'status'), ['active']);
    assert.equal((await rows()).length, 1);
  });

  it('are read in ranges that the bridge accepts', async () => {
    const { read } = await newConnection();
    const calls = server.calls.length;
    await read({ from: '2025-11-01', to: '2026-03-20' });
    assert.equal(server.calls.length - calls, 3);
  });

  it('are read by the job when they were requested, and every six hours', async () => {
    const { book, one, remove } = await newConnection();
    const { engine, id: bookId } = book;
    server.setAccounts([]);
    const log = { info: () => undefined, warn: () => undefined };
    const job = syncJob({ reader, log });
    await job.run(engine, nowMs, signal);
    const { last_read } = await one();
    assert.equal(last_read, '2026-03-20T12:00:00.000Z');
    const calls = server.calls.length;
    const callsAfter = async (minutes: number) => {
      await job.run(engine, nowMs + minutes * 60_000, signal);
      return server.calls.length - calls;
    };
    assert.equal(await callsAfter(1), 0);
    const request = () => book.write(() => requestSync(bookId, { range: null, accountId: null }));
    assert.deepEqual([await request(), await request()], [true, false]);
    assert.deepEqual([await callsAfter(1), await callsAfter(2)], [1, 1]);

    // As if all this had happened before the clock went back by a year.
    const year = 365 * 86_400_000;
    await book.write(function* () {
      const where = { book_id: bookId };
      yield* updateUnlogged(syncRequests, where, { requested_at_ms: nowMs + year, is_done: 0 });
      const last_read = new Date(nowMs + year).toISOString();
      yield* run(sql`UPDATE connections SET last_read = ${last_read} WHERE book_id = ${bookId}`);
    });
    assert.equal(await callsAfter(3), 2);
    assert.equal(await callsAfter(4), 2, 'the request is done, and the reading is of today');
    await book.write(() =>
      updateUnlogged(syncRequests, { book_id: bookId }, { requested_at_ms: nowMs + year }),
    );
    assert.equal(await request(), true);

    assert.deepEqual([await remove(), await remove()], [true, false]);
    assert.deepEqual(await book.read(() => listConnections(bookId)), []);
  });

  it('double and lose nothing, whatever the bank sends, and can be undone', async () => {
    const dates = ['2026-03-01', '2026-03-02', '2026-03-03'];
    const sent = fc.record({
      id: fc.nat(5),
      day: fc.nat(2),
      units: fc.integer({ min: -3, max: 3 }),
      isPending: fc.boolean(),
    });
    const feeds = fc.array(fc.uniqueArray(sent, { maxLength: 5, selector: ({ id }) => id }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(feeds, async (feeds) => {
        const { book, rows, sync } = await newConnection();
        const start = await book.version();
        for (const feed of feeds) {
          await sync(
            feed.map(({ id, day, units, isPending }) =>
              (isPending ? pending : posted)(`t${id}`, dates[day]!, String(units)),
            ),
          );
          const stored = await rows();
          const active = stored.filter(({ status }) => status !== 'delete_pending');
          const ids = new Set(pick(active, 'remote_id'));
          for (const { id } of feed) assert.ok(ids.has(`t${id}`), `t${id}`);
          assert.equal(new Set(pick(stored, 'remote_id')).size, stored.length);
        }
        for (let version = await book.version(); version > start; version -= 1)
          await book.change((change) => undo(change, version));
        assert.deepEqual(await rows(), []);
      }),
      { numRuns: runs(engineName === 'SQLite' ? 50 : 10) },
    );
    assert.deepEqual(await checkDatabase((await open()).engine, { repair: false }), []);
  });
});
