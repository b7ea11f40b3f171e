import { formatAmount } from '@coffer/core/money';
import { createApp } from '../../packages/server/src/http/app.ts';
import { parseTrustedProxies } from '../../packages/server/src/limiter/address.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { noServices } from '../../packages/server/src/services.ts';
import { benchEntries } from './book.ts';
import { apiOf } from '../../packages/server/src/all.ts';

export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
) => Promise<string>;

export function startApp(engine: Engine, token: string): Send {
  const rateLimit = { limit: 1_000_000_000, windowMs: 60_000 };
  const app = createApp({
    engine,
    ...apiOf(noServices),
    trustedProxies: parseTrustedProxies(''),
    limiter: createMemoryLimiter({ rateLimit }),
    logLevel: 'silent',
    cofferLimiter: createMemoryLimiter({ rateLimit }),
  });
  const headers = { authorization: `Bearer ${token}` };
  return async (method, url, body) => {
    const payload = body === undefined ? {} : { payload: body };
    const { statusCode, body: text } = await app.inject({ method, url, headers, ...payload });
    if (statusCode < 300) return text;
    throw new Error(`${method} ${url} failed with ${statusCode}: ${text}`);
  };
}

export function overHttp(port: number, token: string): Send {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    // What is measured is not the compression.
    'Accept-Encoding': 'identity',
  };
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
    const text = await response.text();
    if (response.ok) return text;
    throw new Error(`${method} ${path} failed with ${response.status}: ${text}`);
  };
}

export interface Row {
  readonly id: number;
  readonly category_id: number;
  readonly manual_account_id: number;
  readonly status: string;
}

const path = '/v2/transactions';

export async function listRows(send: Send, query: string): Promise<Row[]> {
  const text = await send('GET', `${path}?${query}`);
  return (JSON.parse(text) as { transactions: Row[] }).transactions;
}

export interface Writes {
  readonly insert: (count: number, valuesOf?: (at: number) => object) => Promise<number[]>;
  readonly update: (ids: readonly number[], valuesOf: (at: number) => object) => Promise<void>;
  readonly remove: (ids: readonly number[]) => Promise<void>;
}

/** Returns the writes of a book, into the category and the account of its newest transaction. */
export async function writesOf(send: Send): Promise<Writes> {
  const [{ category_id, manual_account_id }] = (await listRows(send, 'limit=1')) as [Row];
  const entries = [...benchEntries(500)].map(({ date, amount, payee, notes }) => ({
    date,
    amount: formatAmount(-amount),
    payee,
    notes,
    category_id,
    manual_account_id,
  }));
  return {
    insert: async (count, valuesOf = () => ({})) => {
      const rows = entries.slice(0, count).map((entry, at) => ({ ...entry, ...valuesOf(at) }));
      const text = await send('POST', path, { transactions: rows });
      return (JSON.parse(text) as { transactions: Row[] }).transactions.map(({ id }) => id);
    },
    update: async (ids, valuesOf) => {
      await send('PUT', path, { transactions: ids.map((id, at) => ({ id, ...valuesOf(at) })) });
    },
    remove: async (ids) => {
      await send('DELETE', path, { ids });
    },
  };
}
