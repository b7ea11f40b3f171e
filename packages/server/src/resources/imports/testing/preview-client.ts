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

/** Sends requests to the imports of Ada's book. */
export function previewClient({ app, ada }: TestApp) {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the type of the body
  async function send<T>(method: 'GET' | 'POST' | 'DELETE', path: string, sent: Sent = {}) {
    const { as: user = ada, type = 'text/csv', payload, headers = {} } = sent;
    const response = await app.inject({
      method,
      url: `/coffer/imports${path}`,
      headers: { ...as(user), 'content-type': type, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const body = (response.body === '' ? null : JSON.parse(response.body)) as T;
    assert.notEqual(response.statusCode, 500, response.body);
    return { status: response.statusCode, body };
  }
  return {
    send,
    upload: <T = ImportPreview>(payload: string | Buffer, query = '', more: Sent = {}) =>
      send<T>('POST', query, { payload, ...more }),
    commit: <T = ImportRecord>(id: number, body: object = {}, headers = {}) =>
      send<T>('POST', `/${id}/commit`, {
        type: 'application/json',
        headers,
        payload: JSON.stringify(body),
      }),
  };
}
