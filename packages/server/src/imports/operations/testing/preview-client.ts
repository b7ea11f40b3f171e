import assert from 'node:assert/strict';
import { as, type TestApp, type TestUser } from '../../../http/testing/test-app.ts';
import { select } from '../../../db/rows.ts';
import { transactions } from '../../../db/tables/tables.ts';
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
export const previewClient = (made: TestApp): ReturnType<typeof clientOf> => clientOf(made);

function clientOf({ app, ada, engine }: TestApp) {
  const send = async <T>(method: string, path: string, sent: Sent = {}): Promise<Answer<T>> => {
    const { as: user = ada, type = 'text/csv', payload, headers = {} } = sent;
    const response = await app.inject({
      method: method as 'GET',
      url: `/coffer/imports${path}`,
      headers: { ...as(user), 'content-type': type, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const body = (response.body === '' ? null : JSON.parse(response.body)) as T;
    assert.notEqual(response.statusCode, 500, response.body);
    return { status: response.statusCode, body };
  };
  const bookId = ada.identity.book.id;
  return {
    bookId,
    send,
    upload: <T = ImportPreview>(payload: string | Buffer, query = '', more: Sent = {}) =>
      send<T>('POST', query, { payload, ...more }),
    commit: <T = ImportRecord>(id: number, body: object = {}, headers = {}) => {
      const payload = JSON.stringify(body);
      return send<T>('POST', `/${id}/commit`, { type: 'application/json', headers, payload });
    },
    /** The transactions of an import. */
    importedBy: (import_id: number) =>
      engine.read(() => select(transactions, { book_id: bookId, import_id })),
  };
}
