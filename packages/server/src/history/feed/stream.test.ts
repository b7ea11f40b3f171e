import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { tags } from '../../db/tables/tables.ts';
import { EngineBook } from '../../http/testing/engine-book.ts';
import { as, listen, makeTestApp, until, type TestApp } from '../../http/testing/test-app.ts';
import { revokeToken } from '../../identity/users/actions.ts';

/** An event of a stream: its fields, or a comment. */
type Event = Readonly<Record<string, string>>;

/** The events of a stream, as far as they are read. */
async function* eventsOf({ body }: Response): AsyncGenerator<Event, void> {
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text
        .slice(0, end)
        .split('\n')
        .map((line) => /^(.*?):(.*)$/.exec(line)!);
      text = text.slice(end + 2);
      yield Object.fromEntries(fields.map(([, name, value]) => [name, value!.trim()]));
    }
  }
}

/** Opens a stream. `next` is null at its end. */
async function openStream(url: string, headers: Record<string, string>) {
  const left = new AbortController();
  const accept = { accept: 'text/html, text/event-stream;q=0.9' };
  const response = await fetch(url, { headers: { ...headers, ...accept }, signal: left.signal });
  const events = eventsOf(response);
  const next = async (): Promise<Event | null> => {
    const result = await events.next();
    return result.done === true ? null : result.value;
  };
  return { response, next, leave: () => left.abort() };
}

describe('a stream of changes', () => {
  let test: TestApp;
  let address: string;
  beforeEach(async () => {
    test = await makeTestApp();
    address = `http://127.0.0.1:${await listen(test.app)}/coffer/changes`;
  });
  afterEach(() => test.app.close());

  const open = (query: string, headers: Record<string, string> = {}) =>
    openStream(`${address}?${query}`, { ...as(test.ada), ...headers });
  const settled = () => until(() => test.watchClock.sleeping > 0);
  const change = (work: (change: Change) => Steps<unknown>) =>
    new EngineBook(test.engine, test.ada.identity.book).change(work);
  const addTag = (name: string) => change((to) => to.insert(tags, { name }));
  /** Lets the time pass in which a change is noticed. */
  const pass = async (): Promise<void> => {
    for (const ms of [10, 240]) {
      await settled();
      test.watchClock.advance(ms);
    }
  };
  const openAtEnd = async () => {
    const reader = await open('after=latest');
    assert.deepEqual(await reader.next(), { retry: '2000' });
    return { reader, id: (await reader.next())!['id']! };
  };

  it('sends what was committed, then what is being committed, and signs of life between', async () => {
    const reader = await open('after=0&limit=7&record=transactions');
    const { headers } = reader.response;
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('content-encoding'), null);
    assert.ok(headers.get('ratelimit-limit'));
    await reader.next();
    for (let count = 1; count <= 30; count += 1) {
      const { event, data } = (await reader.next())!;
      const { record, id } = JSON.parse(data!) as { record: string; id: number };
      assert.deepEqual([event, record, id], ['change', 'transactions', 1000 + count]);
    }
    const { id: end } = (await reader.next())!;
    for (let passed = 0; passed < 15_000; passed += 250) await pass();
    assert.deepEqual(await reader.next(), { '': '' });
    await addTag('of no interest');
    await pass();
    const { id: later } = (await reader.next())!;
    assert.notEqual(later, end);
  });

  it('resumes after the last event that the client has', async () => {
    const { reader, id } = await openAtEnd();
    await addTag('one');
    await addTag('two');
    await pass();
    const one = (await reader.next())!;
    reader.leave();
    const names = async (headers: Record<string, string>) => {
      const again = await open('after=0', headers);
      await again.next();
      const { data = '{}' } = (await again.next())!;
      again.leave();
      return (JSON.parse(data) as { value?: { name: string } }).value?.name;
    };
    assert.equal(await names({ 'last-event-id': id }), 'one');
    assert.equal(await names({ 'last-event-id': one['id']! }), 'two');
    const wrong = [`${'a'.repeat(32)}.1.2.0.0`, 'nonsense'];
    const statuses = wrong.map(
      async (last) => (await open('', { 'last-event-id': last })).response.status,
    );
    assert.deepEqual(await Promise.all(statuses), [410, 400]);
    // Readers that leave are no reason for a warning.
    assert.doesNotMatch(test.log.join(''), /stream of events ended/);
  });

  it('ends when the token is revoked, and when the server stops', async () => {
    const { reader } = await openAtEnd();
    const { book, callerId } = test.ada.identity;
    await test.engine.write(() => revokeToken(book.id, callerId));
    await pass();
    assert.equal(await reader.next(), null);
    const ben = await openStream(`${address}?after=latest`, as(test.ben));
    await ben.next();
    await ben.next();
    await settled();
    const closed = test.app.close();
    assert.equal(await ben.next(), null);
    await closed;
  });

  it('is refused with 429 when the token has ten, until one ends', async () => {
    const all: { leave(): void }[] = [];
    for (let count = 0; count < 10; count += 1) all.push((await openAtEnd()).reader);
    const accept = 'text/event-stream';
    const response = await fetch(address, { headers: { ...as(test.ada), accept } });
    assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '30']);
    assert.match(await response.text(), /has 10 streams already/);
    all[0]!.leave();
    let status = 429;
    for (let tries = 0; tries < 1000 && status === 429; tries += 1)
      ({ status } = (await open('after=latest')).response);
    assert.equal(status, 200);
  });

  it('reads no more than a slow client does', async () => {
    const custom = JSON.stringify({ text: 'x'.repeat(4000) });
    await change(function* (to) {
      for (let count = 0; count < 5000; count += 1)
        yield* to.insert(tags, { name: `tag ${count}`, description: custom });
    });
    const reader = await open('after=2&limit=100');
    await reader.next();
    const reads = () => test.engine.calls.filter((call) => call === 'read access_tokens').length;
    let before = -1;
    for (let turns = 0; turns < 1000 && reads() !== before; turns += 1) {
      before = reads();
      for (let turn = 0; turn < 100; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
    // The buffers of both ends hold some of the 20 MB.
    assert.ok(reads() < 40, `${reads()} of 50 pages were read`);
    for (let count = 0; count < 5000; count += 1)
      assert.equal((await reader.next())!['event'], 'change');
    reader.leave();
  });
});
