/*
 * The usual implementation on the same rows: LIMIT and OFFSET, an object for each row, JSON.stringify. It has no
 * limiter and no authentication, so its figures are too good.
 */
import type BetterSqlite3 from 'better-sqlite3';
import type * as Fastify from 'fastify';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { reportToParent } from './report.ts';

const require = createRequire(new URL('../../packages/server/src/main.ts', import.meta.url));
const Database = require('better-sqlite3') as typeof BetterSqlite3;
const { fastify } = require('fastify') as typeof Fastify;

const path = (process.env['BENCH_DATABASE'] ?? '').slice('sqlite:'.length);
const database = new Database(path, { readonly: true });
const select = database.prepare<[number, number], Row>(
  `SELECT id, date, amount, currency, to_base, recurring_id, payee, original_name, category_id, plaid_account_id,
    manual_account_id, external_id, tag_ids, notes, status, is_pending, created_at, updated_at, is_split_parent,
    split_parent_id, is_group_parent, group_parent_id, source
  FROM transactions WHERE book_id = 1 AND listed = 1
  ORDER BY date DESC, id DESC LIMIT ? OFFSET ?`,
);

type Row = Record<string, string | number | null> & {
  amount: number;
  to_base: number;
  tag_ids: string;
};

function toWire(row: Row): unknown {
  return {
    ...row,
    amount: (row.amount / 10_000).toFixed(4),
    to_base: row.to_base / 10_000,
    tag_ids: JSON.parse(row.tag_ids) as unknown,
    is_pending: row['is_pending'] === 1,
    is_split_parent: row['is_split_parent'] === 1,
    is_group_parent: row['is_group_parent'] === 1,
  };
}

const app = fastify();
app.get('/v2/transactions', (request) => {
  const { limit = '1000', offset = '0' } = request.query as Record<string, string>;
  const rows = select.all(Number(limit) + 1, Number(offset));
  return {
    transactions: rows.slice(0, Number(limit)).map(toWire),
    has_more: rows.length > Number(limit),
  };
});
await app.listen({ port: 0, host: '127.0.0.1' });
reportToParent((app.server.address() as AddressInfo).port);
