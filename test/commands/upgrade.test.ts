import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../packages/cli/src/testing/run-coffer.ts';
import { schemaVersion } from '../../packages/server/src/db/migrations/index.ts';
import { oldSchemas, unpackOldSchema } from '../../packages/server/src/db/testing/old-schemas.ts';
import { checkDatabase, readConfig, serve } from '../../packages/server/src/main.ts';
import { checkSeal } from '../../packages/server/src/maintenance/backup.ts';

/** Digests by user and request, from the version that wrote the database of the second schema. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'schema-2-bodies.json'), 'utf8'),
) as Record<string, Record<string, string>>;

/** Sends GET to a target, and returns the status and the body. */
type Get = (target: string) => Promise<{ readonly status: number; readonly text: string }>;

const everything = ['pending', 'split_parents', 'group_children', 'children', 'metadata', 'files']
  .map((name) => `include_${name}=true`)
  .join('&');

/** Filters of lists that need no record; those with ids are added for the records of the book. */
const filters = [
  ...['', everything, 'include_metadata=true', 'include_files=true&include_children=true'],
  ...['category_id=0', 'manual_account_id=0', 'plaid_account_id=0', 'status=reviewed'],
  ...['status=unreviewed', 'status=delete_pending', 'is_pending=true', 'is_group_parent=true'],
  ...['start_date=2024-03-01', 'end_date=2024-02-29', 'start_date=2024-02-29&end_date=2025-06-30'],
  ...['created_since=2025-01-01', 'updated_since=2026-01-01&include_pending=true'],
];
const refused = ['?limit=0', '?limit=2001&colour=red', '?start_date=2024-02-30', '/x', '/99999999'];
const limits = [7, 100];

type Rows = readonly Readonly<Record<string, unknown>>[];

test('a database of the second schema is backed up, migrated, and returns the same bytes', async (t) => {
  const folder = makeFolder();
  const path = join(folder, 'old.db');
  const old = oldSchemas.find(({ version }) => version === 2)!;
  unpackOldSchema(old, path);
  const flags = { host: '127.0.0.1', port: '0', logLevel: 'silent', rateLimit: '1000000/24h' };
  const server = await serve(readConfig({ ...flags, database: `sqlite:${path}` }, {}));
  t.after(() => server.close());
  const backups = readdirSync(folder).filter((name) =>
    name.startsWith(`old.db.before-schema-${schemaVersion}-`),
  );
  assert.equal(backups.length, 1);
  assert.equal(checkSeal(join(folder, backups[0]!)), 'intact');
  assert.deepEqual(Object.keys(recorded), Object.keys(old.tokens));
  for (const [user, token] of Object.entries(old.tokens)) {
    const bodies = await recordBodies(async (target) => {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.url}${target}`, { headers });
      return { status: answer.status, text: await answer.text() };
    });
    assert.ok(Object.keys(bodies).length > 50);
    assert.deepEqual(bodies, recorded[user]);
  }
  assert.deepEqual(await checkDatabase(server.engine, { repair: false }), []);
});

/**
 * Returns a digest of the responses of every operation that reads, by request: single requests, and all pages of lists.
 *
 * It only sends requests that a database of the second schema can serve.
 */
async function recordBodies(get: Get): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  const record = async (name: string, targets: Iterable<string> | AsyncIterable<string>) => {
    const hash = createHash('sha256');
    let count = 0;
    for await (const target of targets) {
      const { status, text } = await get(target);
      hash.update(`${status} ${text.length}\n${text}`);
      count += 1;
    }
    digests[name] = `${count} ${hash.digest('base64url')}`;
  };
  const rowsOf = async (target: string, key: string): Promise<Rows> =>
    (JSON.parse((await get(target)).text) as Record<string, Rows>)[key] ?? [];

  const categories = await rowsOf('/v2/categories?format=flattened', 'categories');
  const accounts = await rowsOf('/v2/crypto/synced', 'crypto_synced');
  const rows = await rowsOf(`/v2/transactions?limit=2000&${everything}`, 'transactions');
  const queries = ['', '?format=nested', '?format=flattened', '?is_group=true', '?is_group=false'];
  await record('/v2/me', ['/v2/me']);
  for (const query of queries) await record(`/v2/categories${query}`, [`/v2/categories${query}`]);
  await record('every category', paths('/v2/categories', [...ids(categories), 99_999_999]));
  await record('/v2/crypto/synced', ['/v2/crypto/synced']);
  await record('every crypto account', paths('/v2/crypto/synced', [...ids(accounts), 99_999_999]));
  await record('every balance', balances(accounts));
  await record('every transaction', paths('/v2/transactions', ids(rows)));
  for (const path of ['/v2/transactions', '/v2/categories'])
    for (const end of refused) await record(`${path}${end}`, [`${path}${end}`]);
  for (const filter of [...filters, ...filtersOf(rows, ids(categories))])
    for (const limit of limits) await record(`${filter} by ${limit}`, walk(get, filter, limit));
  return digests;
}

function ids(rows: Rows): number[] {
  return rows.map(({ id }) => id as number);
}

function paths(path: string, all: readonly number[]): string[] {
  return all.map((id) => `${path}/${id}`);
}

function balances(accounts: Rows): string[] {
  return accounts.flatMap(({ id, balances }) =>
    [...(balances as { symbol: string }[]), { symbol: 'none' }].map(
      ({ symbol }) => `/v2/crypto/synced/${id as number}/${symbol}`,
    ),
  );
}

/** A filter for the first records of each kind that rows have. */
function filtersOf(rows: Rows, categoryIds: readonly number[]): string[] {
  const firstOf = (name: string, filter = name): string[] => {
    const found = new Set(rows.flatMap((row) => row[name] ?? []));
    return [...found].slice(0, 4).map((id) => `${filter}=${id as number}`);
  };
  return [
    ...firstOf('manual_account_id'),
    ...firstOf('plaid_account_id'),
    ...firstOf('recurring_id'),
    ...firstOf('tag_ids', 'tag_id'),
    ...categoryIds.slice(0, 6).map((id) => `category_id=${id}&${everything}`),
  ];
}

/** The targets of all pages of a list; they end after the last page. */
async function* walk(get: Get, filter: string, limit: number): AsyncGenerator<string> {
  for (let offset = 0, isMore = true; isMore; offset += limit) {
    const target = `/v2/transactions?limit=${limit}&offset=${offset}&${filter}`;
    isMore = (await get(target)).text.endsWith('"has_more":true}');
    yield target;
  }
}
