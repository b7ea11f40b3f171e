import { setTimeout as sleep } from 'node:timers/promises';
import { Mirror } from '../../packages/client/examples/mirror.ts';
import { createClient, type Fetch, type RecordChange } from '../../packages/client/src/index.ts';
import type { Owner } from '../../test/service/owners.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import type { KilledNodes } from './killed-nodes.ts';

/** The share of requests whose connection breaks, before or after the server has sent the response. */
const brokenShare = 0.05;
const mostEventsOfStream = 300;

export class FeedReader {
  readonly name: string;
  readonly mirror = new Mirror('0');
  readonly problems: string[] = [];
  received = 0;
  reconnects = 0;
  readonly #stopped = new AbortController();
  #version = 0;
  #work: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  start(follow: (reader: FeedReader) => Promise<void>): void {
    this.#work = follow(this).catch((error: unknown) => {
      if (!this.signal.aborted) this.problems.push(String(error));
    });
  }

  apply(changes: readonly RecordChange[], position: string): void {
    for (const { version } of changes) {
      if (version < this.#version) this.problems.push(`${version} comes after ${this.#version}`);
      this.#version = version;
    }
    this.received += changes.length;
    this.mirror.apply({ changes: [...changes], position });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }
}

/** Follows a book by the client library and its long polls. Some requests or responses are lost. */
export function startPolling(nodes: KilledNodes, { token }: Owner, random: Random): FeedReader {
  const broken = (): TypeError => new TypeError('The connection broke');
  const send: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url);
    const fate = random();
    if (fate < brokenShare) throw broken();
    const response = await fetch(nodes.url(random) + pathname + search, init);
    const text = await response.text();
    if (fate > 1 - brokenShare) throw broken();
    return new Response(text, { status: response.status, headers: response.headers });
  };
  // Short rests after failures.
  const clock = {
    nowMs: () => performance.now(),
    random: () => random() / 50,
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const reader = new FeedReader('long polls');
  const onRetry = (): void => void (reader.reconnects += 1);
  const options = { token, fetch: send, clock, onRetry, maxAttempts: 3 };
  const client = createClient({ baseUrl: 'http://any-node', ...options });
  reader.start(async ({ signal }) => {
    for await (const page of client.changes({ limit: 37, signal }))
      reader.apply(page.changes, page.position);
  });
  return reader;
}

/** Follows a book by streams of events, and leaves each after some events. */
export function startStreams(nodes: KilledNodes, { token }: Owner, random: Random): FeedReader {
  const reader = new FeedReader('streams');
  const readStream = async (most: number): Promise<void> => {
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, reader.signal]);
    const { position } = reader.mirror;
    const headers = {
      ...{ accept: 'text/event-stream', authorization: `Bearer ${token}` },
      ...(position !== '0' && { 'last-event-id': position }),
    };
    const url = `${nodes.url(random)}/coffer/changes?limit=50`;
    const response = await fetch(url, { headers, signal });
    if (response.status >= 400 && response.status !== 503)
      reader.problems.push(`a stream was refused with ${response.status}`);
    if (response.status !== 200 || response.body === null) return;
    try {
      let rest = '';
      let events = 0;
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          take(block);
          if ((events += 1) === most) return;
        }
      }
    } finally {
      left.abort();
    }
  };
  const take = (block: string): void => {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [id, data] = [field('id'), field('data')];
    if (id === undefined) return;
    reader.apply(data === undefined ? [] : [JSON.parse(data) as RecordChange], id);
  };
  reader.start(async ({ signal }) => {
    while (!signal.aborted) {
      await readStream(integerFrom(random, 1, mostEventsOfStream)).catch(() => undefined);
      reader.reconnects += 1;
      await sleep(integerFrom(random, 0, 20));
    }
  });
  return reader;
}
