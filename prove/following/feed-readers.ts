import { setTimeout as sleep } from 'node:timers/promises';
import { Mirror } from '../../packages/client/examples/mirror.ts';
import { createClient } from '../../packages/client/src/index.ts';
import type { Fetch, RecordChange } from '../../packages/client/src/index.ts';
import type { Owner } from '../../test/service/owners.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import type { KilledNodes } from './killed-nodes.ts';

/** The share of requests whose connection breaks, before or after the server has sent the response. */
const brokenShare = 0.05;
const mostEventsOfStream = 300;

/** A client that keeps a copy of a book by the feed alone. */
export interface FeedReader {
  readonly name: string;
  readonly mirror: Mirror;
  /** How many changes it was sent. */
  readonly received: number;
  readonly reconnects: number;
  readonly problems: readonly string[];
  start(): void;
  stop(): Promise<void>;
}

abstract class Reader implements FeedReader {
  abstract readonly name: string;
  readonly mirror = new Mirror('0');
  readonly problems: string[] = [];
  protected readonly stopped = new AbortController();
  protected readonly nodes: KilledNodes;
  protected readonly random: Random;
  protected readonly token: string;
  received = 0;
  reconnects = 0;
  #version = 0;
  #work: Promise<void> | undefined;

  constructor(nodes: KilledNodes, { token }: Owner, random: Random) {
    this.nodes = nodes;
    this.random = random;
    this.token = token;
  }

  start(): void {
    this.#work = this.follow().catch((error: unknown) => {
      if (!this.stopped.signal.aborted) this.problems.push(String(error));
    });
  }

  /** Follows the book until it is stopped. */
  protected abstract follow(): Promise<void>;

  protected apply(changes: readonly RecordChange[], position: string): void {
    for (const { version } of changes) {
      if (version < this.#version) this.problems.push(`${version} comes after ${this.#version}`);
      this.#version = version;
    }
    this.received += changes.length;
    this.mirror.apply({ changes: [...changes], position });
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.#work;
  }
}

/** Follows by the client library. */
export class PollingReader extends Reader {
  readonly name = 'long polls';

  /** Sends each request to any node. Some requests or responses are lost. */
  readonly #fetch: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url);
    const fate = this.random();
    if (fate < brokenShare) throw this.#broken();
    const response = await fetch(this.nodes.url(this.random) + pathname + search, init);
    const text = await response.text();
    if (fate > 1 - brokenShare) throw this.#broken();
    return new Response(text, { status: response.status, headers: response.headers });
  };

  protected async follow(): Promise<void> {
    // Short rests after failures.
    const clock = {
      nowMs: () => performance.now(),
      random: () => this.random() / 50,
      after: (ms: number, callback: () => void) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    };
    const onRetry = (): void => void (this.reconnects += 1);
    const options = { token: this.token, fetch: this.#fetch, clock, onRetry, maxAttempts: 3 };
    const client = createClient({ baseUrl: 'http://any-node', ...options });
    const { signal } = this.stopped;
    for await (const page of client.changes({ limit: 37, signal }))
      this.apply(page.changes, page.position);
  }

  #broken(): TypeError {
    return new TypeError('The connection broke');
  }
}

/** Follows by streams of events, and leaves each after some events. */
export class EventReader extends Reader {
  readonly name = 'streams';

  protected async follow(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await this.#readStream(integerFrom(this.random, 1, mostEventsOfStream)).catch(
        () => undefined,
      );
      this.reconnects += 1;
      await sleep(integerFrom(this.random, 0, 20));
    }
  }

  async #readStream(most: number): Promise<void> {
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, this.stopped.signal]);
    const headers = {
      ...{ accept: 'text/event-stream', authorization: `Bearer ${this.token}` },
      ...(this.mirror.position !== '0' && { 'last-event-id': this.mirror.position }),
    };
    const url = `${this.nodes.url(this.random)}/coffer/changes?limit=50`;
    const response = await fetch(url, { headers, signal });
    if (response.status >= 400 && response.status !== 503)
      this.problems.push(`a stream was refused with ${response.status}`);
    if (response.status !== 200 || response.body === null) return;
    try {
      let rest = '';
      let events = 0;
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          this.#take(block);
          if ((events += 1) === most) return;
        }
      }
    } finally {
      left.abort();
    }
  }

  #take(block: string): void {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const [id, data] = [field('id'), field('data')];
    if (id !== undefined)
      this.apply(data === undefined ? [] : [JSON.parse(data) as RecordChange], id);
  }
}
