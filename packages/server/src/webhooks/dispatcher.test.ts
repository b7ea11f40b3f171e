import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { Webhook } from 'standardwebhooks';
import { forgetLeases } from '../book/leases.ts';
import { updateUnlogged } from '../book/unlogged.ts';
import { run, type Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import { drawIdentity } from '../db/tables/migrations.ts';
import { tags, webhookAttempts, webhooks } from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { EngineBook } from '../http/testing/engine-book.ts';
import { ManualJobClock } from '../jobs/testing/manual-job-clock.ts';
import { addWebhook, moveCursor, updateWebhook, type NewWebhookRow } from './actions.ts';
import { takeWebhook } from './deliveries.ts';
import { startWebhooks, type RunningWebhooks } from './dispatcher.ts';
import { noWebhookCounts, retryTiming } from './rules.ts';
import { startReceiver, type ReceivedMessage, type Receiver } from './testing/receiver.ts';
import { testSender } from './testing/test-sender.ts';

/** The body of an event. */
interface SentEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly book_id: number; readonly position: string; changes: SentChange[] };
}
type SentChange = Readonly<{ version: number; at: string; id: number; kind: string }> & {
  readonly value: { readonly name: string } | null;
};

class HookedBook extends EngineBook {
  readonly hookId: number;
  readonly #secret: string;

  constructor({ engine, book }: EngineBook, hookId: number, secret: string) {
    super(engine, book);
    this.hookId = hookId;
    this.#secret = secret;
  }

  /** Adds tags in one version, and returns their ids. */
  add(...names: string[]): Promise<number[]> {
    return this.change(function* (change) {
      const ids: number[] = [];
      for (const name of names) ids.push((yield* change.insert(tags, { name })).id);
      return ids;
    });
  }

  /** Renames a tag, or removes it if there is no name. */
  async rename(id: number, name?: string): Promise<void> {
    await this.change(function* (change) {
      const tag = yield* find(tags, { book_id: change.bookId, id });
      if (name === undefined) yield* change.remove(tags, tag!);
      else yield* change.update(tags, tag!, { name });
    });
  }

  async row(): Promise<Row<typeof webhooks>> {
    return (await this.read(() => find(webhooks, { book_id: this.id, id: this.hookId })))!;
  }

  attempts(): Promise<Row<typeof webhookAttempts>[]> {
    const of = { book_id: this.id, webhook_id: this.hookId };
    return this.read(() => select(webhookAttempts, of));
  }

  /** Returns a verified event. Throws if it is forged. */
  verified({ body, headers }: Pick<ReceivedMessage, 'body' | 'headers'>): SentEvent {
    return new Webhook(this.#secret).verify(body, headers) as SentEvent;
  }

  /** Returns what was delivered: the names of tags, or the kinds of changes of records that are gone. */
  names({ received }: Pick<Receiver, 'received'>): string[] {
    return received
      .filter(({ status }) => status !== null && status < 300)
      .flatMap((message) => this.verified(message).data.changes)
      .map(({ value, kind }) => value?.name ?? kind);
  }
}

/** Creates a book with a webhook for its changes from now on. */
async function makeHookedBook(engine: Engine, url: string, options: Partial<NewWebhookRow> = {}) {
  const book = await EngineBook.open(engine);
  const { secret, sealed } = (await testSender().newSecret(book.id))!;
  const hook = { url, description: null, records: null, kinds: null, actor: 'test', from: null };
  const { id } = await book.write(() =>
    addWebhook(book.id, { ...hook, sealedSecret: sealed, ...options }),
  );
  return new HookedBook(book, id, secret);
}

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const hourMs = 3_600_000;
const every = { pollMs: 1000, leaseMs: 60_000, sliceMs: 10_000 };
const timing = { ...every, mostAtOnce: 3, retry: retryTiming };

for (const { name, skip, openNodes } of usualEngines) {
  describe(`webhooks on ${name}`, { skip }, () => {
    const clock = new ManualJobClock(startMs);
    let nodes: Engine[];
    let receiver: Receiver;
    let running: RunningWebhooks[] = [];
    let lines: string[] = [];
    let counts = noWebhookCounts();
    before(async () => {
      nodes = await openNodes([() => clock.nowMs(), () => clock.nowMs()]);
    });
    beforeEach(async () => {
      receiver = await startReceiver();
      counts = noWebhookCounts();
      lines = [];
    });
    afterEach(async () => {
      await Promise.all(running.map((each) => each.close()));
      running = [];
      await receiver.close();
      await nodes[0]!.write(() => run(sql`DELETE FROM webhooks WHERE id > 0`));
    });

    const log = (_details: object, message: string) => void lines.push(message);
    const start = (node = 0, random = 0.5): RunningWebhooks => {
      const sender = testSender();
      const options = { engine: nodes[node]!, sender, clock, timing, counts };
      const logs = { info: log, warn: log, error: log };
      const begun = startWebhooks({ ...options, log: logs, random: () => random });
      running.push(begun);
      return begun;
    };
    const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
      for (let turn = 0; turn < 50_000 && !(await isDone()); turn += 1) {
        if (turn % 10 === 9 && clock.sleeping > 0) clock.advance(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(await isDone(), String(isDone));
    };
    const delivered = (book: HookedBook, count: number) =>
      until(async () => {
        const { delivered_at, failures } = await book.row();
        return book.names(receiver).length >= count && delivered_at !== null && failures === 0;
      });
    const failed = (book: HookedBook, count: number) =>
      until(async () => (await book.row()).failures >= count);
    const disabled = async (book: HookedBook) => {
      await until(async () => (await book.row()).disabled_reason !== null);
      return (await book.row()).disabled_reason;
    };

    it('get every change in order, one version in an event, with its present value', async () => {
      const book = await makeHookedBook(nodes[0]!, receiver.url);
      const many = Array.from({ length: 250 }, (_, at) => `t${at}`);
      const [first] = await book.add('a');
      await book.add(...many);
      await book.rename(first!, 'b');
      const [gone] = await book.add('c');
      await book.rename(gone!);
      start();
      await delivered(book, 254);
      const names = ['b', ...many, 'b', 'made', 'removed'];
      assert.deepEqual(book.names(receiver), names);

      const events = receiver.received.map((message) => book.verified(message));
      const sizes = events.map(({ data }) => data.changes.length);
      assert.deepEqual(sizes, [1, 100, 100, 50, 1, 1, 1]);
      for (const { type, timestamp, data } of events) {
        assert.deepEqual([type, data.book_id], ['book.changed', book.id]);
        assert.equal(new Set(data.changes.map(({ version }) => version)).size, 1);
        assert.equal(timestamp, data.changes[0]!.at);
      }
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(ids).size, 7);
      const positions = events.map(({ data }) => data.position);
      assert.equal(new Set(positions).size, 7);
      await until(async () => (await book.attempts()).length === 7);
      const attempts = await book.attempts();
      const made = attempts.map(({ message_id, status, changes }) => [message_id, status, changes]);
      assert.deepEqual(
        made,
        ids.map((id, at) => [id, 204, sizes[at]]),
      );
      assert.deepEqual([counts.delivered, counts.failed, lines], [7, 0, []]);

      await nodes[0]!.write(() =>
        moveCursor(book.id, book.hookId, { version: 1, place: 0, id: 0 }),
      );
      await until(() => receiver.received.length === 14);
      const again = receiver.received.slice(7).map(({ headers }) => headers['webhook-id']);
      assert.deepEqual(again, ids, 'the same ids');
    });

    it('do not wait until the time of a clock that went back', async () => {
      const year = 365 * 24 * hourMs;
      const [healthy, failing] = [
        await makeHookedBook(nodes[0]!, receiver.url),
        await makeHookedBook(nodes[0]!, receiver.url),
      ];
      const nextMs = clock.nowMs() + year;
      await nodes[0]!.write(function* () {
        const columns = { next_attempt_ms: nextMs };
        yield* updateUnlogged(webhooks, { book_id: healthy.id }, columns);
        const since = { failures: 3, failing_since_ms: nextMs - hourMs };
        yield* updateUnlogged(webhooks, { book_id: failing.id }, { ...columns, ...since });
      });
      await healthy.add('a');
      await failing.add('b');
      receiver.behave(({ body }) => (body.includes(`"book_id":${failing.id},`) ? 500 : 204));
      start();
      await delivered(healthy, 1);
      await failed(failing, 4);
      const { next_attempt_ms, failing_since_ms } = await failing.row();
      assert.ok(next_attempt_ms <= clock.nowMs() + hourMs, `${next_attempt_ms}`);
      assert.ok(failing_since_ms! <= clock.nowMs(), 'it is given up after 24 hours');
    });

    it('get only the records and kinds of their filter', async () => {
      const engine = nodes[0]!;
      const kinds = ['changed', 'removed'] as const;
      const made = await makeHookedBook(engine, receiver.url, { records: ['tags'], kinds });
      const others = await makeHookedBook(engine, receiver.url, { records: ['categories'] });
      const [id] = await made.add('a', 'b');
      await made.rename(id!, 'c');
      await made.rename(id!);
      await others.add('d');
      start();
      await delivered(made, 2);
      await until(async () => (await others.row()).cursor_version === 3);
      assert.deepEqual(made.names(receiver), ['changed', 'removed']);
      assert.equal((await others.row()).attempts, 0);
    });

    it('get the changes of their filter in one event, wherever they are in a version', async () => {
      const engine = nodes[0]!;
      const book = await makeHookedBook(engine, receiver.url, { kinds: ['removed'] });
      await book.add(...Array.from({ length: 210 }, (_, at) => `t${at}`));
      await book.change(function* (change) {
        const all = yield* select(tags, { book_id: book.id });
        for (const row of all.slice(0, 150)) yield* change.update(tags, row, { description: 'x' });
        yield* change.removeAll(tags, all.slice(150));
      });
      start();
      await delivered(book, 60);
      assert.deepEqual([book.names(receiver).length, receiver.received.length], [60, 1]);
    });

    it('send an event again until it is delivered, later each time, before the next one', async () => {
      const book = await makeHookedBook(nodes[0]!, receiver.url);
      await book.add('a');
      const [second] = await book.add('b');
      receiver.behave(() => 500);
      start();
      const delays: number[] = [];
      for (let attempt = 1; attempt <= 11; attempt += 1) {
        await failed(book, attempt);
        const { next_attempt_ms } = await book.row();
        delays.push((next_attempt_ms - Date.parse((await book.attempts()).at(-1)!.at)) / 1000);
        clock.set(next_attempt_ms);
      }
      assert.deepEqual(delays, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800]);
      await book.rename(second!, 'c');
      const wait = (seconds: number) => ({ status: 503, headers: { 'retry-after': `${seconds}` } });
      for (const [asked, hours] of [
        [7200, 2],
        [999_999, 6],
      ] as const) {
        receiver.behave(() => wait(asked));
        const { failures } = await book.row();
        await failed(book, failures + 1);
        const { next_attempt_ms } = await book.row();
        const { at } = (await book.attempts()).at(-1)!;
        assert.equal(next_attempt_ms - Date.parse(at), hours * hourMs);
        clock.set(next_attempt_ms);
      }
      receiver.behave(() => 200);
      await delivered(book, 3);
      assert.deepEqual(book.names(receiver), ['a', 'c', 'c']);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(ids).size, 3);
      const bodies = receiver.received.map((message) => book.verified(message).data.changes[0]!.id);
      assert.equal(new Set(bodies.slice(0, -2)).size, 1, 'one event until it is delivered');
      const { failing_since_ms } = await book.row();
      assert.deepEqual([failing_since_ms, counts.failed], [null, 13]);
    });

    it('are disabled after 24 hours of failures, and continue when they are enabled', async () => {
      const book = await makeHookedBook(nodes[0]!, receiver.url);
      await book.add('a');
      receiver.behave(() => 'drop');
      start(0, 0.999_999);
      await failed(book, 1);
      const since = (await book.row()).failing_since_ms!;
      while ((await book.row()).disabled_reason === null) {
        const { failures, next_attempt_ms } = await book.row();
        assert.ok(next_attempt_ms <= since + 24 * hourMs);
        clock.set(next_attempt_ms);
        await until(async () => (await book.row()).failures > failures);
      }
      const { disabled_reason, disabled_at } = await book.row();
      assert.equal(disabled_reason, 'failing');
      assert.ok(Date.parse(disabled_at!) >= since + 24 * hourMs);
      assert.equal(counts.disabled.failing, 1);
      assert.equal(lines.at(-1), 'A webhook was disabled');
      receiver.behave(() => 204);
      await nodes[0]!.write(() => updateWebhook(book.id, book.hookId, { enabled: true }));
      await delivered(book, 1);
    });

    it('are disabled by 410, by a copy of the database, and when the log was pruned', async () => {
      const engine = nodes[0]!;
      const make = () => makeHookedBook(engine, receiver.url);
      const [gone, moved, pruned] = [await make(), await make(), await make()];
      await gone.add('a');
      await pruned.add('a');
      await engine.write(() =>
        run(sql`UPDATE books SET pruned_version = 2 WHERE id = ${pruned.id}`),
      );
      receiver.behave(() => 410);
      start();
      assert.equal(await disabled(gone), 'gone');
      assert.equal(await disabled(pruned), 'pruned');
      await engine.write(() => run(drawIdentity()));
      const before = receiver.received.length;
      await moved.add('a');
      assert.equal(await disabled(moved), 'moved');
      assert.equal(receiver.received.length, before, 'a copy delivers nothing');
      const enable = (book: HookedBook) =>
        engine.write(() => updateWebhook(book.id, book.hookId, { enabled: true }));
      await assert.rejects(enable(pruned), { kind: 'pruned' });
      receiver.behave(() => 204);
      await enable(moved);
      await delivered(moved, 1);
    });

    it('are served by one node at a time, and by another when a node dies', async () => {
      const books = [];
      for (let at = 0; at < 5; at += 1) books.push(await makeHookedBook(nodes[0]!, receiver.url));
      const [dead] = books;
      const key = { bookId: dead!.id, id: dead!.hookId };
      await nodes[1]!.write(() => takeWebhook(key, 'a node that died', 60_000));
      start(0);
      start(1);
      for (const [at, book] of books.entries())
        for (const letter of ['a', 'b', 'c', 'd']) await book.add(`${at}${letter}`);
      await until(() => receiver.received.length === 16);
      for (let turn = 0; turn < 5; turn += 1) {
        clock.advance(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(receiver.received.length, 16, 'each event once');
      await nodes[0]!.write(() => forgetLeases(`webhook ${dead!.id}/`));
      await until(() => receiver.received.length === 20);
      for (const [at, book] of books.entries()) {
        const own = receiver.received.filter(({ body }) => body.includes(`"book_id":${book.id},`));
        const names = ['a', 'b', 'c', 'd'].map((letter) => `${at}${letter}`);
        assert.deepEqual(book.names({ received: own }), names);
      }
    });

    it('lose nothing when a server stops during a request', async () => {
      const book = await makeHookedBook(nodes[0]!, receiver.url);
      await book.add('a');
      await book.add('b');
      receiver.behave(() => 'hang');
      const first = start();
      await receiver.count(1);
      await first.close();
      assert.deepEqual([(await book.row()).attempts, lines], [0, []]);
      receiver.behave(() => 204);
      start();
      await delivered(book, 2);
      assert.deepEqual(book.names(receiver), ['a', 'b']);
    });
  });
}
