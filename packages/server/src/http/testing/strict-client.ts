import assert from 'node:assert/strict';
import { bookClient, type BookClient } from './book-client.ts';
import { EngineBook } from './engine-book.ts';
import { makeTestApp, type TestApp, type TestAppOptions, type TestUser } from './test-app.ts';

export interface StrictClient extends BookClient {
  readonly book: EngineBook;
  readonly ok: <T>(method: string, url: string, payload?: unknown) => Promise<T>;
  readonly status: (method: string, url: string, payload?: unknown) => Promise<number>;
}

const statuses: Readonly<Record<string, readonly number[]>> = {
  GET: [200],
  POST: [200, 201],
  PUT: [200],
  DELETE: [200, 204],
};

export function strictClient(made: TestApp, user: TestUser): StrictClient {
  const client = bookClient(made, user);
  return {
    ...client,
    book: new EngineBook(made.engine, user.identity.book),
    ok: async <T>(method: string, url: string, payload?: unknown): Promise<T> => {
      const { status, body } = await client.send<T>(method, url, payload);
      assert.ok(statuses[method]?.includes(status), `${status} ${JSON.stringify(body)}`);
      return body;
    },
    status: async (...request) => (await client.send(...request)).status,
  };
}

export interface TwoBooks extends StrictClient {
  readonly made: TestApp;
  readonly ben: StrictClient;
}

export async function openBooks(options?: TestAppOptions): Promise<TwoBooks> {
  const made = await makeTestApp(options);
  return { ...strictClient(made, made.ada), made, ben: strictClient(made, made.ben) };
}
