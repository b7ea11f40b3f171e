import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { run, type Engine } from '../db/engine.ts';
import { changing } from '../book/change.ts';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import { isLong } from '../../../core/src/testing/length.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { addUser, as, listen, makeTestApp, until } from '../http/testing/test-app.ts';
import type { InjectOptions } from 'fastify';
import { noFileStore } from '../files/store.ts';
import { createMemoryLimiter } from '../limiter/memory.ts';
import { bookOf as findBook } from '../identity/users/actions.ts';
import { removeUser } from '../maintenance/user-removal.ts';
import { archiveBook } from './archive/write-archive.ts';
import { exportBook } from './lists/export.ts';
import { exportFormats, type ExportFormat } from './lists/file.ts';

const rateLimit = { limit: 1_000_000, windowMs: 60_000 };
const header = 'id,date,amount,currency,payee,notes,account,category,tags,status,external_id\n';

function takenFrom(ids: number[], at: number): number {
  return ids.splice(at % ids.length, 1)[0]!;
}

async function written(engine: Engine, bookId: number, format: ExportFormat): Promise<string> {
  const pieces = exportFormats[format].piecesOf(await exportBook(engine, bookId));
  return Buffer.concat(await Array.fromAsync(pieces)).toString();
}

/** The batches in which an export reads the long book, of a thousand transactions each. */
const batches = 10;
/** So that the book does not fit into the buffers between a server and a client. */
const notes = 'A long note. '.repeat(200);
/** Changes that are made before each batch. */
const changesOfBatch = isLong ? 60 : 3;

type ExportApp = Awaited<ReturnType<typeof makeExportApp>>;

/**
 * Creates a service with books to export: `demo` has records of every kind, `long` has ten thousand transactions with
 * long texts, and the name of `empty` is not the name of a file. `follow` follows the next export: it calls `before`
 * before each batch, with its number from 0, and what that reads does not count.
 */
async function makeExportApp(opened: Engine) {
  const made = await makeTestApp({
    opened,
    cofferLimiter: createMemoryLimiter({ rateLimit }),
    // A busy machine makes the changes of a batch slowly, while the client waits.
    limits: { socketTimeoutMs: 600_000 },
  });
  const { engine } = made;
  const demo = await addUser(engine, 'demo');
  await fillDemo(engine, demo.identity.book.id, makeDemoBook({ transactions: 2500 }));
  const long = await addUser(engine, 'long', 0, 'of another book');
  const cause = { bookId: long.identity.book.id, actor: 'test', operation: 'fill' };
  const ids: number[] = [];
  await engine.write(() =>
    changing(cause, function* (change) {
      const rows = new BulkRows(change);
      ids.length = 0;
      for (let at = 0; at < batches * 1000; at += 1) {
        const id = yield* rows.nextId();
        ids.push(id);
        const amounts = { amount: 12_300, to_base: 12_300, currency: 'eur' };
        const texts = { payee: 'of another book', notes, status: 'reviewed', source: 'api' };
        rows.add({ id, date: '2024-01-31', ...amounts, ...texts });
      }
      yield* rows.flush();
    }),
  );
  const empty = await addUser(engine, 'empty', 0, '../ż\r\n"é"\u202e;.csv\u0007/..');
  /** The batches so far, also that which is about to be read, and the reads that are open. */
  const reads = { batches: 0, open: 0 };
  const follow = (before: (batch: number) => Promise<unknown> = () => Promise.resolve()): void => {
    reads.batches = -1;
    let isBetween = false;
    engine.instead.set('read books', async (read) => {
      if (isBetween) return read();
      isBetween = true;
      reads.batches += 1;
      if (reads.batches > 0) await before(reads.batches - 1).finally(() => (isBetween = false));
      isBetween = false;
      reads.open += 1;
      return read().finally(() => (reads.open -= 1));
    });
  };
  return { ...made, demo, long, ids, empty, reads, follow };
}

for (const { name, skip, open } of usualEngines) {
  describe(`the export of a book on ${name}`, { skip }, () => {
    let test: ExportApp;
    let port: number;
    before(async () => {
      test = await makeExportApp(await open(() => Date.parse('2026-11-23T09:30:00.000Z')));
      port = await listen(test.app);
    });
    after(() => test.app.close());

    const get = (query = '', user = test.demo, { headers = {}, ...more }: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}/coffer/export${query}`, {
        ...more,
        headers: { ...as(user), ...(headers as object) },
      });
    const bookOf = (user = test.demo) => user.identity.book.id;
    const send = async (method: string, url: string, payload?: unknown, user = test.long) => {
      const headers = { ...as(user), 'content-type': 'application/json' };
      const sent = payload === undefined ? {} : { payload: JSON.stringify(payload) };
      const request = { method, url, headers, ...sent } as InjectOptions;
      const { statusCode, body } = await test.app.inject(request);
      assert.ok(statusCode < 300, `${statusCode} ${body}`);
      return body === '' ? null : (JSON.parse(body) as unknown);
    };
    /** Requests the long book over a connection of its own. */
    const ask = (line: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      const { authorization } = as(test.long);
      const lines = [line, 'Host: a', `Authorization: ${authorization}`, 'Connection: close'];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      return socket;
    };

    for (const format of ['csv', 'ndjson'] as const)
      it(`is a file with the same bytes as the command writes, in ${format}`, async () => {
        const response = await get(`?format=${format}`);
        assert.equal(response.status, 200);
        const fields = Object.fromEntries(response.headers);
        const file = `coffer-demo-s-book-2026-11-23.${format}`;
        const expected = {
          'content-type': exportFormats[format].type,
          'content-disposition': `attachment; filename="${file}"; filename*=UTF-8''${file}`,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        };
        for (const [field, value] of Object.entries(expected)) assert.equal(fields[field], value);
        const text = await response.text();
        assert.ok(text === (await written(test.engine, bookOf(), format)), 'other bytes');
        assert.ok(text.split('\n').length > 2000);
        assert.ok(!text.includes('of another book'));
        const head = await get(`?format=${format}`, test.demo, { method: 'HEAD' });
        assert.equal(head.headers.get('content-disposition'), fields['content-disposition']);
      });

    it('is an archive with the same bytes as the command writes', async () => {
      const response = await get('?format=archive');
      const { pieces } = await archiveBook(test.engine, bookOf(), { files: noFileStore });
      const file = 'coffer-demo-s-book-2026-11-23.tar.gz';
      const named = `attachment; filename="${file}"; filename*=UTF-8''${file}`;
      assert.equal(response.headers.get('content-type'), 'application/gzip');
      assert.equal(response.headers.get('content-disposition'), named);
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.deepEqual(bytes, Buffer.concat(await Array.fromAsync(pieces)));
      assert.equal((await get('?format=archive', test.demo, { method: 'HEAD' })).status, 200);
    });

    it('is CSV by default, and has a name that is only a name for every book', async () => {
      const response = await get('', test.empty);
      assert.equal(await response.text(), header);
      assert.equal(
        response.headers.get('content-disposition'),
        `attachment; filename="coffer-_-_-.csv-2026-11-23.csv"; ` +
          `filename*=UTF-8''coffer-%C5%BC-%C3%A9-.csv-2026-11-23.csv`,
      );
      const [first, ...rest] = (await (await get('?format=ndjson', test.empty)).text()).split('\n');
      assert.match(first!, /^\{"type":"book","id":\d+,"name":"/);
      assert.deepEqual(rest, ['']);
    });

    it('has the book as it was at an earlier version', async () => {
      assert.equal(await (await get('?as_of=1')).text(), header);
      assert.equal((await get('?as_of=99999')).status, 400);
    });

    it('is sent again when the book has changed', async () => {
      const { headers } = await get('', test.empty, { method: 'HEAD' });
      const known = { headers: { 'if-none-match': headers.get('etag')! } };
      await send('POST', '/v2/tags', { name: 'New' }, test.empty);
      const changed = await get('', test.empty, known);
      assert.deepEqual([changed.status, await changed.text()], [200, header]);
    });

    it('has nothing of very many changes that are made meanwhile', async () => {
      const { id } = (await send('POST', '/v2/tags', { name: 'Meanwhile' })) as { id: number };
      const left = [...test.ids];
      let changes = 0;
      /** Changes, deletes or creates transactions, among those that were read and those that were not. */
      const change = async (): Promise<void> => {
        changes += 1;
        const path = `/v2/transactions/${left[(changes * 7919) % left.length]}`;
        const row = { date: '2026-01-01', amount: 7, payee: 'Meanwhile' };
        if (changes % 5 === 0)
          await send('DELETE', `/v2/transactions/${takenFrom(left, changes * 31)}`);
        else if (changes % 5 === 1) await send('POST', '/v2/transactions', { transactions: [row] });
        else await send('PUT', path, { payee: `Meanwhile ${changes}`, tag_ids: [id], amount: 1.5 });
      };
      const headers = { 'accept-encoding': 'identity' };
      const exported = async (query: string): Promise<string> =>
        (await get(query, test.long, { headers })).text();
      const { version } = await test.engine.readStatement(() => findBook(bookOf(test.long)));
      // The second one is of a version before the changes that are made during the first one.
      for (const query of ['?format=csv', `?format=ndjson&as_of=${version}`]) {
        const expected = await exported(query);
        test.follow(async () => {
          for (let count = 0; count < changesOfBatch; count += 1) await change();
        });
        const text = await exported(query);
        test.follow();
        assert.ok(text === expected, `a change is in ${query}`);
        if (!query.includes('as_of')) assert.notEqual(await exported(query), expected);
      }
      assert.ok(changes >= 15 * changesOfBatch, `${changes} changes`);
    });

    it('waits for a slow client without a transaction, and ends when the client leaves', async () => {
      test.follow();
      const socket = ask('GET /coffer/export?format=ndjson HTTP/1.1');
      await once(socket, 'readable');
      let known = -1;
      // It stops when the buffers between it and the client are full, and no batch is being read.
      while (test.reads.batches > known || test.reads.open > 0) {
        known = test.reads.batches;
        for (let turn = 0; turn < 1000; turn += 1) await nextTurn();
      }
      assert.ok(known > 0 && known < batches, `${known} of ${batches} batches`);
      assert.equal(test.reads.open, 0);
      const logged = test.log.length;
      socket.destroy();
      await until(() => test.log.length > logged);
      assert.equal(test.reads.batches, known);
      assert.equal(test.reads.open, 0);
      assert.ok(!test.log.some((line) => line.includes('not sent whole')));
    });

    it('is refused to a token that has five already, until one of them ends', async () => {
      const line = 'GET /coffer/export?format=ndjson HTTP/1.1';
      const sockets = [1, 2, 3, 4, 5].map(() => ask(line));
      await Promise.all(sockets.map((socket) => once(socket, 'readable')));
      const refused = await get('', test.long);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '30');
      assert.match(await refused.text(), /The caller has 5 exports already/);
      assert.equal((await get('', test.empty)).status, 200);
      const logged = test.log.length;
      for (const socket of sockets) socket.destroy();
      await until(() => test.log.length >= logged + sockets.length);
      const response = await get('', test.long);
      assert.equal(response.status, 200);
      await response.text();
    });

    it('is reset if the client takes nothing for too long', async () => {
      const accepted = once(test.app.server, 'connection') as Promise<[Socket]>;
      const socket = ask('GET /coffer/export?format=ndjson HTTP/1.0');
      await once(socket, 'readable');
      const [served] = await accepted;
      await until(() => served.writableLength > 0);
      const failed = once(socket, 'error') as Promise<[NodeJS.ErrnoException]>;
      served.emit('timeout');
      socket.resume();
      assert.equal((await failed)[0].code, 'ECONNRESET');
    });

    it('goes on if its next rows come too late for a connection that may not be silent', async () => {
      const accepted = once(test.app.server, 'connection') as Promise<[Socket]>;
      let late = 0;
      test.follow(async (batch) => {
        if (batch !== 4) return;
        const [served] = await accepted;
        await until(() => served.writableLength === 0);
        late += 1;
        served.emit('timeout');
      });
      const { text, code } = await readAll('1.1');
      assert.equal(late, 1);
      assert.equal(code, '');
      assert.ok(text.endsWith('\r\n0\r\n\r\n'));
    });

    const readAll = async (version: string) => {
      const socket = ask(`GET /coffer/export HTTP/${version}`);
      const received = { text: '', code: '' };
      socket.on('data', (text: string) => (received.text += text));
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => (received.code = code));
      await new Promise((resolve) => socket.once('close', resolve));
      return received;
    };

    const broken = () => Promise.reject(new Error('broken'));
    const pruned = async () => {
      await send('POST', '/v2/tags', { name: 'Before the history was pruned' });
      await test.engine.write(() =>
        run(sql`UPDATE books SET pruned_version = version WHERE id = ${bookOf(test.long)}`),
      );
    };
    const removed = () => removeUser(test.engine, test.long.identity.user.id, { files: null });
    for (const [reason, version, fail] of [
      ['the database fails', '1.0', broken],
      ['the database fails', '1.1', broken],
      ['its history is pruned', '1.1', pruned],
      // The last one, because it deletes the long book.
      ['it is deleted', '1.1', removed],
    ] as const)
      it(`is cut off, over HTTP/${version}, if ${reason} meanwhile`, async () => {
        const logged = test.log.length;
        test.follow(async (batch) => {
          if (batch === 4) await fail();
        });
        const { text, code } = await readAll(version);
        test.follow();
        assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
        assert.equal(code, 'ECONNRESET');
        assert.ok(!text.endsWith('\r\n0\r\n\r\n'));
        await until(() => test.log.slice(logged).some((line) => line.includes('not sent whole')));
      });
  });
}
