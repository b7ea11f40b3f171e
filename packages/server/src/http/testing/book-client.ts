import assert from 'node:assert/strict';
import { changesSince } from '../../book/testing/changes-since.ts';
import { find } from '../../db/rows.ts';
import { books } from '../../db/tables/tables.ts';
import { vendorProblems } from './vendor-document.ts';
import type { InjectOptions } from 'fastify';
import { as, type TestApp, type TestUser } from './test-app.ts';
import { pick } from './pick.ts';

export interface Received<T> {
  readonly status: number;
  readonly body: T;
  readonly etag: string | undefined;
}

export type RefusedProperty = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly errors: RefusedProperty[];
}

/**
 * Sends requests of one user, and reads what they changed. Every response is compared with the document of the API that
 * Coffer is compatible with.
 */
export interface BookClient {
  readonly send: <T>(method: string, url: string, payload?: unknown) => Promise<Received<T>>;
  /** Sends a request that must be refused with 400 and must not change the ETag; returns the errors. */
  readonly refused: (method: string, url: string, payload?: unknown) => Promise<RefusedProperty[]>;
  /** Returns the operations that changed the book since the last call, each with one version and one log line. */
  readonly changes: () => Promise<string[]>;
}

export function bookClient({ app, engine }: TestApp, user: TestUser): BookClient {
  const { book } = user.identity;
  let known = book.version;
  const client: BookClient = {
    async send<T>(method: string, url: string, payload?: unknown): Promise<Received<T>> {
      const sent = payload === undefined ? {} : { payload: JSON.stringify(payload) };
      const headers = { ...as(user), 'content-type': 'application/json' };
      const answer = await app.inject({ ...sent, method, url, headers } as InjectOptions);
      const { statusCode: status, body } = answer;
      const { etag } = answer.headers;
      assert.deepEqual(vendorProblems({ method, target: url, status, text: body }), []);
      return { status, body: (body === '' ? null : JSON.parse(body)) as T, etag };
    },
    async refused(method, url, payload) {
      const { etag } = await client.send('GET', '/v2/me');
      const { status, body } = await client.send<Refusal>(method, url, payload);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal((await client.send('GET', '/v2/me')).etag, etag);
      return body.errors;
    },
    async changes() {
      const [lines, version] = await engine.read(function* () {
        const current = yield* find(books, { id: book.id });
        return [yield* changesSince(book.id, known), current?.version ?? 0] as const;
      });
      const versions = Array.from({ length: version - known }, (_, at) => known + 1 + at);
      assert.deepEqual(pick(lines, 'version'), versions);
      known = version;
      return lines.map(({ operation }) => operation);
    },
  };
  return client;
}
