import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UnsentEdit, UnsentNew } from '../books/rows/unsent.ts';
import type { Transaction } from '../books/types.ts';
import { ApiError } from './errors.ts';
import { storeOfPage, type UnsentStore } from './unsent-store.ts';
import { Unsent, type UnsentSenders } from './unsent.ts';

const offline = () => new ApiError(0, 'The server cannot be reached');
const body: UnsentNew['body'] = { date: '2026-03-05', amount: '1', currency: 'eur' };

/** A server that is reached or not, and a response of which is lost or not, as a test says. */
class Server implements UnsentSenders {
  readonly keys = new Map<string, Transaction>();
  readonly rows = new Map<number, Transaction>();
  readonly order: (string | number)[] = [];
  isThere = true;
  losesResponses = false;
  refusal: ApiError | null = null;
  #back = Promise.withResolvers<undefined>();

  come(): void {
    this.isThere = true;
    this.#back.resolve(undefined);
    this.#back = Promise.withResolvers();
  }

  readonly insert = async ({ id }: UnsentNew): Promise<Transaction> =>
    this.#serve(() => {
      if (!this.keys.has(id)) this.order.push(id);
      const made = this.keys.get(id) ?? ({ id: 1000 + this.keys.size } as Transaction);
      this.keys.set(id, made);
      return made;
    });

  readonly one = async ({
    transactionId: id,
    values,
  }: Pick<UnsentEdit, 'transactionId' | 'values'>) =>
    this.#serve(() => {
      this.order.push(id);
      const next = { ...this.rows.get(id)!, ...values } as Transaction;
      this.rows.set(id, next);
      return next;
    });

  readonly update = (entries: readonly UnsentEdit[]) => Promise.allSettled(entries.map(this.one));
  readonly current = async ({ transactionId }: UnsentEdit) =>
    this.#serve(() => this.rows.get(transactionId)!);
  readonly reachable = async () => {
    if (!this.isThere) await this.#back.promise;
  };

  async #serve<T>(act: () => T): Promise<T> {
    await Promise.resolve();
    if (!this.isThere) throw offline();
    if (this.refusal !== null) throw this.refusal;
    const result = act();
    if (!this.losesResponses) return result;
    this.losesResponses = false;
    this.isThere = false;
    throw offline();
  }
}

async function pageOf(store: UnsentStore, server: Server, owner = '1/1') {
  const page = new Unsent(store);
  const arrivals: number[] = [];
  const sent = page.begin(owner, server, (count) => arrivals.push(count));
  return { page, arrivals, sent };
}

const settled = () => new Promise(setImmediate);
const typed = (id: string) => ({ kind: 'new', id, payee: 'Kiosk', body }) as const;

function edit(page: Unsent, server: Server, values: UnsentEdit['values'], id = 1) {
  const row = server.rows.get(id)!;
  const before = Object.fromEntries(
    Object.keys(values).map((name) => [name, row[name as keyof Transaction]]),
  );
  const made = { kind: 'edit', transactionId: id, payee: row.payee, values, before } as const;
  return page.edit(made, () => server.one({ transactionId: id, values }));
}

test('what is typed without a server is kept, and sent in its order by the next page', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.isThere = false;
  const { page } = await pageOf(store, server);
  for (const id of ['a', 'b', 'c']) assert.equal(await page.insert(typed(id)), null);
  assert.equal(page.entries.length, 3);
  const other = new Server();
  const next = await pageOf(store, other);
  await next.sent;
  assert.deepEqual(other.order, ['a', 'b', 'c']);
  assert.deepEqual([next.arrivals, next.page.entries], [[1, 1, 1], []]);
  assert.deepEqual(await store.of('1/1'), []);
});

test('an entry whose response was lost arrives once', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.losesResponses = true;
  const { page, sent } = await pageOf(store, server);
  await sent;
  assert.equal(await page.insert(typed('a')), null);
  server.come();
  await page.send();
  assert.deepEqual(server.order, ['a']);
});

test('entries of another user or book are neither shown nor sent', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.isThere = false;
  const { page } = await pageOf(store, server);
  await page.insert(typed('a'));
  const other = new Server();
  for (const owner of ['2/1', '1/2']) {
    const next = await pageOf(store, other, owner);
    await next.sent;
    assert.deepEqual(next.page.entries, []);
  }
  assert.deepEqual(other.order, []);
  assert.equal((await store.of('1/1')).length, 1);
});

test('a refused entry says why, and is sent again or discarded', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.isThere = false;
  const { page } = await pageOf(store, server);
  for (const id of ['a', 'b']) await page.insert(typed(id));
  server.refusal = new ApiError(400, 'There is no account 7');
  server.come();
  await page.send();
  const problems = page.entries.map(({ problem }) => problem);
  assert.deepEqual(problems, ['There is no account 7', 'There is no account 7']);
  server.refusal = null;
  await page.again(page.entries[1]!);
  assert.deepEqual(server.order, ['b']);
  await page.discard(page.entries);
  assert.deepEqual(await store.of('1/1'), []);
});

test('a refusal while the server is there is thrown, and nothing is kept', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  const { page, sent } = await pageOf(store, server);
  await sent;
  server.refusal = new ApiError(400, 'Bad request');
  await assert.rejects(page.insert(typed('a')), { status: 400 });
  assert.deepEqual(page.entries, []);
});

test('edits without a server become one, and resolve when it is stored', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.rows.set(1, { id: 1, payee: 'A', notes: null, category_id: 2 } as Transaction);
  const { page, sent } = await pageOf(store, server);
  await sent;
  server.isThere = false;
  const edits = [
    edit(page, server, { notes: 'x' }),
    edit(page, server, { payee: 'B', notes: 'y' }),
  ];
  await settled();
  server.come();
  const [one, two] = await Promise.all(edits);
  assert.deepEqual([one?.notes, two?.payee], ['y', 'B']);
  assert.deepEqual(await store.of('1/1'), []);
});

test('what is sent again after the word that it is proved is sent with force', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.rows.set(1, { id: 1, payee: 'A', notes: 'n' } as Transaction);
  const first = await pageOf(store, server);
  await first.sent;
  server.isThere = false;
  void edit(first.page, server, { notes: 'x' });
  await settled();
  const other = new Server();
  other.rows.set(1, server.rows.get(1)!);
  other.refusal = new ApiError(409, 'Conflict', [{ errMsg: 'Proved', proved_until: '2026-01-31' }]);
  const forced: unknown[] = [];
  const update = (entries: readonly UnsentEdit[]) => {
    forced.push(...entries.map(({ isForced }) => isForced));
    return other.update(entries);
  };
  const page = new Unsent(store);
  const { insert, current, reachable } = other;
  const senders = { insert, current, reachable, update };
  await page.begin('1/1', senders, () => undefined);
  assert.equal(page.entries[0]?.problem, 'Proved');
  other.refusal = null;
  await page.again(page.entries[0]);
  assert.deepEqual([forced, page.entries], [[true], []]);
});

test('what somebody else has changed since is shown and not overwritten, until the user says so', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.rows.set(1, { id: 1, payee: 'A', notes: 'n', category_id: 2 } as Transaction);
  const { page, sent } = await pageOf(store, server);
  await sent;
  server.isThere = false;
  const waiting = assert.rejects(edit(page, server, { notes: 'mine', category_id: 3 }), {
    status: 409,
  });
  await settled();
  server.rows.set(1, { ...server.rows.get(1)!, notes: 'theirs', payee: 'Z' });
  server.come();
  await waiting;
  assert.deepEqual(
    page.entries.map((each) => each.kind === 'edit' && each.theirs),
    [{ notes: 'theirs' }],
  );
  assert.equal(server.rows.get(1)?.notes, 'theirs');
  await page.again(page.entries[0]!);
  const { notes, category_id, payee } = server.rows.get(1)!;
  assert.deepEqual([notes, category_id, payee, page.entries], ['mine', 3, 'Z', []]);
});

test('an edit that another tab has sent resolves here too', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.rows.set(1, { id: 1, payee: 'A', notes: 'n' } as Transaction);
  const { page, sent } = await pageOf(store, server);
  await sent;
  server.isThere = false;
  const waiting = edit(page, server, { notes: 'x' });
  await settled();
  const tab = new Server();
  tab.rows.set(1, server.rows.get(1)!);
  await (
    await pageOf(store, tab)
  ).sent;
  server.rows.set(1, tab.rows.get(1)!);
  server.come();
  assert.equal((await waiting).notes, 'x');
  assert.deepEqual([tab.order, server.order, page.entries], [[1], [], []]);
});

test('one edit after another is no conflict with itself', async () => {
  const [store, server] = [storeOfPage(), new Server()];
  server.rows.set(1, { id: 1, notes: 'n' } as Transaction);
  const { page, sent } = await pageOf(store, server);
  await sent;
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const made = { kind: 'edit', transactionId: 1, payee: null, before: { notes: 'n' } } as const;
  const one = page.edit({ ...made, values: { notes: 'x' } }, async () => {
    await first.promise;
    return server.one({ transactionId: 1, values: { notes: 'x' } });
  });
  const two = page.edit({ ...made, before: { notes: 'x' }, values: { notes: 'y' } }, async () => {
    await second.promise;
    throw offline();
  });
  first.resolve(undefined);
  await one;
  second.resolve(undefined);
  assert.equal((await two).notes, 'y');
  assert.deepEqual(page.entries, []);
});

test('whatever happens between, each entry arrives once, in its order', async () => {
  const steps = fc.array(
    fc.constantFrom('type', 'come', 'go', 'lose', 'crash', 'settle' as const),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const [store, server] = [storeOfPage(), new Server()];
      let { page } = await pageOf(store, server);
      const ids: string[] = [];
      for (const step of given) {
        if (step === 'come') server.come();
        if (step === 'go') server.isThere = false;
        if (step === 'lose') server.losesResponses = true;
        if (step === 'crash') ({ page } = await pageOf(store, server));
        if (step === 'settle') await settled();
        if (step !== 'type') continue;
        ids.push(`id ${ids.length}`);
        await page.insert(typed(ids.at(-1)!));
      }
      server.losesResponses = false;
      server.come();
      await settled();
      const { sent } = await pageOf(store, server);
      server.come();
      await sent;
      assert.deepEqual([...server.order].sort(), [...ids].sort());
      assert.deepEqual(await store.of('1/1'), []);
    }),
  );
});
