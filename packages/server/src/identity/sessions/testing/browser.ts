import { createLink } from '../actions.ts';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { Engine } from '../../../db/engine.ts';
import type { Book } from '../../../operations/caller.ts';

/** What a browser received. */
export interface Received<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: T;
}

/** The headers that a browser adds to requests of the service's own pages. */
const ownPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** A browser with the cookie of a session, and that of a browser that has signed in, on a page of the service. */
export class Browser {
  readonly #app: FastifyInstance;
  readonly #host: string;
  readonly #more: Readonly<Record<string, string>>;
  /** As it is sent: name and value; null without one. */
  cookie: string | null = null;
  /** As it is sent; null until a user with a password has signed in. It stays when the session ends. */
  device: string | null = null;

  constructor(app: FastifyInstance, host = 'localhost:8080', more: Record<string, string> = {}) {
    this.#app = app;
    this.#host = host;
    this.#more = more;
  }

  /** Sends a request, by default as the service's own page; undefined removes a header. */
  async send<T>(
    method: NonNullable<InjectOptions['method']>,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Received<T>> {
    const cookies = [this.cookie, this.device].filter((each) => each !== null);
    const all: Record<string, string | undefined> = {
      host: this.#host,
      ...this.#more,
      ...ownPage,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...headers,
    };
    const set = Object.entries(all).filter(([, value]) => value !== undefined);
    const response = await this.#app.inject({
      method,
      url,
      headers: Object.fromEntries(set) as Record<string, string>,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    for (const line of [response.headers['set-cookie'] ?? []].flat()) this.#keep(line);
    const { statusCode: status, headers: received, payload } = response;
    return { status, headers: received, body: (payload === '' ? null : response.json()) as T };
  }

  async status(...request: Parameters<Browser['send']>): Promise<number> {
    return (await this.send(...request)).status;
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    if (pair.includes('coffer_device_')) this.device = pair;
    else this.cookie = pair.endsWith('=') ? null : pair;
  }

  /** Signs in with a new link for the owner of a book. */
  async signIn(engine: Engine, book: Book): Promise<Received> {
    const secret = await engine.write(() => createLink(book));
    return this.send('POST', '/coffer/session', { method: 'link', secret });
  }
}
