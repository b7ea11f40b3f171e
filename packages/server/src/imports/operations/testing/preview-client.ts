import assert from 'node:assert/strict';
import { as } from '../../../http/testing/test-app.ts';
import type { TestApp, TestUser } from '../../../http/testing/test-app.ts';
import type { ImportPreview } from '../preview-schema.ts';
import type { ImportRecord } from '../schema.ts';

export interface Sent {
  readonly as?: TestUser;
  readonly type?: string;
  readonly payload?: string | Buffer;
  readonly headers?: Record<string, string>;
}

/** The body of a refusal. */
export interface Refusal {
  readonly message: string;
  readonly errors: readonly Readonly<Record<string, unknown>>[];
}

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Sends requests to the imports of Ada's book, or of another user's. */
export class PreviewClient {
  readonly #app: TestApp['app'];
  readonly #ada: TestUser;

  constructor({ app, ada }: TestApp) {
    this.#app = app;
    this.#ada = ada;
  }

  async send<T>(method: string, path: string, sent: Sent = {}): Promise<Answer<T>> {
    const { as: user = this.#ada, type = 'text/csv', payload, headers = {} } = sent;
    const response = await this.#app.inject({
      method: method as 'GET',
      url: `/coffer/imports${path}`,
      headers: { ...as(user), 'content-type': type, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const body = (response.body === '' ? null : JSON.parse(response.body)) as T;
    assert.notEqual(response.statusCode, 500, response.body);
    return { status: response.statusCode, body };
  }

  upload<T = ImportPreview>(
    payload: string | Buffer,
    query = '',
    more: Sent = {},
  ): Promise<Answer<T>> {
    return this.send<T>('POST', query, { payload, ...more });
  }

  commit<T = ImportRecord>(id: number, body: object = {}, headers = {}): Promise<Answer<T>> {
    const payload = JSON.stringify(body);
    return this.send('POST', `/${id}/commit`, { type: 'application/json', headers, payload });
  }
}
