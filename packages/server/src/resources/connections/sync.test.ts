import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import { createBankReader } from '../../connectors/bank-reader.ts';
import { sealCredentials } from '../../connectors/sealed-credentials.ts';
import { claimAccess } from '../../connectors/simplefin/simplefin.ts';
import { startSimplefinServer } from '../../connectors/testing/simplefin-server.ts';
import type {
  SimplefinServer,
  SimplefinTransaction,
} from '../../connectors/testing/simplefin-server.ts';
import type { Engine } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { books, connections, plaidAccounts, transactions } from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { newBook } from '../users/testing/new-book.ts';
import { addConnection, listConnections, removeConnection, requestSync } from './actions.ts';
import { syncJob } from './sync-job.ts';
import { synchronise } from './synchronise.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const key = Buffer.alloc(32, 7);
const nowMs = Date.parse('2026-03-20T12:00:00.000Z');
const signal = new AbortController().signal;

function at(date: string): number {
  return Date.parse(`${date}T12:00:00Z`) / 1000;
}

function posted(id: string, date: string, amount: string, description = 'Shop') {
  return { id, posted: at(date), amount, description };
}

function pending(id: string, date: string, amount: string, description = 'Shop') {
  return { id, posted: 0, transacted_at: at(date), pending: true, amount, description };
}

for (const { name, skip, open } of usualEngines) {
  describe(`connections to banks on ${name}`, { skip }, () => {
    let engine: Engine;
    let server: SimplefinServer;
    before(async () => {
      engine = await open(() => nowMs);
      server = await startSimplefinServer();
    });
    after(() => server.close());
    const reader = createBankReader({ encryptionKey: key, now: () => nowMs });

    async function newConnection() {
      await server.fail(null);
      server.setErrors([]);
      const { id: bookId } = await newBook(engine);
      const accessUrl = await claimAccess(server.newToken(), signal);
      const sealedCredentials = sealCredentials(key, bookId, { provider: 'simplefin', accessUrl });
      const connection = { provider: 'simplefin', name: 'Bank', sealedCredentials } as const;
      const id = await addConnection(engine, bookId, connection);
      const one = () => engine.read(() => find(connections, { book_id: bookId, id }));
      const rows = () => engine.read(() => select(transactions, { book_id: bookId }));
      const sync = async (sent: readonly SimplefinTransaction[]) => {
        const account = { id: 'A', name: 'Checking (1234)', currency: 'USD', balance: '100.50' };
        server.setAccounts([{ ...account, transactions: sent }]);
        return synchronise({
          ...{ engine, reader, connection: (await one())! },
          ...{ range: { from: '2026-02-01', to: '2026-03-20' }, nowMs },
        });
      };
      const change = (columns: Partial<Awaited<ReturnType<typeof rows>>[number]>, at = 0) =>
        engine.write(() =>
          changing({ bookId, actor: 'token 1', operation: 'test' }, function* (changed) {
            const all = yield* select(transactions, { book_id: bookId });
            yield* changed.update(transactions, all[at]!, columns);
          }),
        );
      return { bookId, id, one, rows, sync, change };
    }

    it('are claimed once, and store accounts and transactions with the signs of the API', async () => {
      const { bookId, rows, sync, one } = await newConnection();
      const saved = await sync([
        { ...posted('t1', '2026-03-01', '-12.30', 'Baker'), memo: 'bread' },
        posted('t2', '2026-03-02', '2000', 'Work'),
        pending('t3', '2026-03-03', '-1'),
      ]);
      assert.deepEqual(saved, { added: 3, changed: 0, withdrawn: 0, problems: [] });
      const [baker, work, shop] = await rows();
      assert.deepEqual(
        [baker!.amount, baker!.payee, baker!.notes, baker!.date, baker!.source],
        [123_000, 'Baker', 'bread', '2026-03-01', 'plaid'],
      );
      assert.deepEqual(
        [work!.amount, work!.status, shop!.is_pending],
        [-20_000_000, 'unreviewed', true],
      );
      const [account] = await engine.read(() => select(plaidAccounts, { book_id: bookId }));
      assert.deepEqual(
        [account!.name, account!.institution_name, account!.balance, account!.mask, account!.type],
        ['Checking (1234)', 'Test Bank', 1_005_000, '1234', 'depository'],
      );
      assert.equal(account!.status, 'active');
      assert.equal((await one())!.last_read, '2026-03-20T12:00:00.000Z');
      const token = server.newToken();
      await claimAccess(token, signal);
      await assert.rejects(claimAccess(token, signal), { reason: 'refused' });
      for (const wrong of ['', 'x', Buffer.from('http://bank.example/').toString('base64')])
        await assert.rejects(claimAccess(wrong, signal), { reason: 'nonsense' });
    });

    it('change nothing when nothing is new', async () => {
      const { bookId, sync } = await newConnection();
      const sent = [posted('t1', '2026-03-01', '-1'), pending('t2', '2026-03-02', '-2')];
      await sync(sent);
      const rowsBefore = await engine.read(() => select(transactions, { book_id: bookId }));
      assert.deepEqual(await sync(sent), { added: 0, changed: 0, withdrawn: 0, problems: [] });
      assert.deepEqual(
        await engine.read(() => select(transactions, { book_id: bookId })),
        rowsBefore,
      );
    });

    it('turn pending transactions into posted ones, with what the user wrote', async () => {
      const { rows, sync, change } = await newConnection();
      await sync([pending('p1', '2026-03-01', '-5', 'SHOP 12'), pending('p2', '2026-03-01', '-6')]);
      await change({ notes: 'mine' });
      await sync([
        posted('x1', '2026-03-03', '-5', 'The shop'),
        posted('p2', '2026-03-02', '-6.5'),
      ]);
      const [first, second, ...more] = await rows();
      assert.deepEqual(more, []);
      assert.deepEqual(
        [first!.remote_id, first!.is_pending, first!.notes, first!.payee, first!.date],
        ['x1', false, 'mine', 'The shop', '2026-03-03'],
      );
      assert.deepEqual([second!.amount, second!.is_pending], [65_000, false]);
    });

    it('remove withdrawn transactions, unless the user changed them', async () => {
      const { rows, sync, change } = await newConnection();
      await sync([pending('p1', '2026-03-01', '-5'), pending('p2', '2026-03-01', '-6')]);
      await change({ notes: 'mine' }, 1);
      assert.equal((await sync([]))?.withdrawn, 2);
      const [kept, ...more] = await rows();
      assert.deepEqual([kept!.remote_id, kept!.status, more.length], ['p2', 'delete_pending', 0]);
      assert.equal((await sync([]))?.withdrawn, 0);
      await sync([pending('p2', '2026-03-01', '-6')]);
      assert.equal((await rows())[0]!.status, 'unreviewed');
    });

    it('mark posted transactions that the bank leaves out, and never remove them', async () => {
      const { rows, sync } = await newConnection();
      const [old, middle, recent] = ['2026-02-10', '2026-02-20', '2026-03-01'].map((date) =>
        posted(date, date, '-1'),
      );
      await sync([old!, middle!, recent!]);
      await sync([old!, recent!]);
      assert.deepEqual(
        (await rows()).map(({ status }) => status),
        ['unreviewed', 'delete_pending', 'unreviewed'],
      );
      await sync([recent!]);
      assert.equal((await rows())[0]!.status, 'unreviewed');
    });

    it('keep the amounts of split transactions', async () => {
      const { rows, sync, change } = await newConnection();
      await sync([posted('t1', '2026-03-01', '-5')]);
      await change({ is_split_parent: true });
      await sync([posted('t1', '2026-03-01', '-7')]);
      assert.equal((await rows())[0]!.amount, 50_000);
      await change({ is_split_parent: false });
    });

    it('report what is wrong with accounts and transactions, and store the others', async () => {
      const { bookId, sync, one } = await newConnection();
      server.setErrors(['You must sign in again at Test Bank']);
      const wrong = { id: '', posted: at('2026-03-01'), amount: '1', description: '' };
      const saved = await sync([
        wrong,
        posted('t', '2026-03-01', '1e9'),
        posted('u', '2026-03-01', '2'),
      ]);
      assert.equal(saved?.added, 1);
      assert.deepEqual(saved.problems, [
        'You must sign in again at Test Bank',
        'A transaction of the account "Checking (1234)" has no id',
        'A transaction of the account "Checking (1234)" has the amount "1e9"',
      ]);
      assert.equal((await one())!.problems?.split('\n').length, 3);
      server.setErrors([]);
      const odd = { id: 'B', name: 'Points', currency: 'https://x.example/points', balance: '1' };
      server.setAccounts([{ ...odd, transactions: [] }]);
      await synchronise({ engine, reader, connection: (await one())!, range: null, nowMs });
      assert.match((await one())!.problems ?? '', /unknown currency/);
      assert.equal((await engine.read(() => select(plaidAccounts, { book_id: bookId }))).length, 1);
    });

    it('need to be linked again when the bridge refuses the client, and keep the rest on other failures', async () => {
      const { bookId, sync, one } = await newConnection();
      await sync([posted('t1', '2026-03-01', '-5')]);
      const read = async () =>
        synchronise({ engine, reader, connection: (await one())!, range: null, nowMs });
      const before = await one();
      for (const fault of ['down', 'html', { status: 500 }, 'endless'] as const) {
        await server.fail(fault);
        await assert.rejects(read());
        assert.deepEqual(await one(), before);
      }
      await server.fail({ status: 403 });
      await assert.rejects(read(), { reason: 'refused' });
      assert.equal((await one())!.status, 'relink');
      const [account] = await engine.read(() => select(plaidAccounts, { book_id: bookId }));
      assert.equal(account!.status, 'relink');
      await server.fail(null);
      await read();
      assert.equal((await one())!.status, 'active');
    });

    it('that are removed leave their accounts to the next one', async () => {
      const { bookId, id, rows, sync } = await newConnection();
      const sent = [posted('t1', '2026-03-01', '-5')];
      await sync(sent);
      await removeConnection(engine, bookId, id);
      const accounts = () => engine.read(() => select(plaidAccounts, { book_id: bookId }));
      assert.equal((await accounts())[0]!.status, 'revoked');
      const accessUrl = await claimAccess(server.newToken(), signal);
      const sealedCredentials = sealCredentials(key, bookId, { provider: 'simplefin', accessUrl });
      const again = { provider: 'simplefin', name: 'Again', sealedCredentials } as const;
      await addConnection(engine, bookId, again);
      const [connection] = await engine.read(() => listConnections(bookId));
      const options = { engine, reader, connection: connection!, range: null, nowMs };
      assert.equal((await synchronise(options))?.added, 0);
      assert.deepEqual([(await accounts()).length, (await rows()).length], [1, 1]);
      assert.equal((await accounts())[0]!.status, 'active');
    });

    it('are read in ranges that the bridge accepts', async () => {
      const { one } = await newConnection();
      const calls = server.calls.length;
      const range = { from: '2025-11-01', to: '2026-03-20' };
      await synchronise({ engine, reader, connection: (await one())!, range, nowMs });
      assert.equal(server.calls.length - calls, 3);
    });

    it('are read by the job when they were requested, and every six hours', async () => {
      const { bookId, id, one } = await newConnection();
      server.setAccounts([]);
      const log = { info: () => undefined, warn: () => undefined };
      const job = syncJob({ reader, log });
      await job.run(engine, nowMs, signal);
      assert.equal((await one())!.last_read, '2026-03-20T12:00:00.000Z');
      const calls = server.calls.length;
      await job.run(engine, nowMs + 60_000, signal);
      assert.equal(server.calls.length, calls);
      const request = () =>
        engine.write(() => requestSync(bookId, { range: null, accountId: null }));
      assert.deepEqual([await request(), await request()], [true, false]);
      await job.run(engine, nowMs + 60_000, signal);
      assert.equal(server.calls.length, calls + 1);
      await job.run(engine, nowMs + 120_000, signal);
      assert.equal(server.calls.length, calls + 1);
      assert.equal(await removeConnection(engine, bookId, id), true);
      assert.equal(await removeConnection(engine, bookId, id), false);
      assert.deepEqual(await engine.read(() => listConnections(bookId)), []);
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
          const { bookId, rows, sync } = await newConnection();
          const versionOf = async () =>
            (await engine.read(() => find(books, { id: bookId })))!.version;
          const start = await versionOf();
          for (const feed of feeds) {
            await sync(
              feed.map(({ id, day, units, isPending }) =>
                (isPending ? pending : posted)(`t${id}`, dates[day]!, String(units)),
              ),
            );
            const stored = await rows();
            const active = stored.filter(({ status }) => status !== 'delete_pending');
            const ids = new Set(active.map((row) => row.remote_id));
            for (const { id } of feed) assert.ok(ids.has(`t${id}`), `t${id}`);
            assert.equal(new Set(stored.map((row) => row.remote_id)).size, stored.length);
          }
          for (let version = await versionOf(); version > start; version -= 1)
            await engine.write(() =>
              changing({ bookId, actor: 'test', operation: 'undo' }, (change) =>
                undo(change, version),
              ),
            );
          assert.deepEqual(await rows(), []);
        }),
        { numRuns: runs(name === 'SQLite' ? 50 : 10) },
      );
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });
  });
}
