import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createClient, type Client, type ClientOptions } from '../../packages/client/src/index.ts';
import { catalogue, targetOf } from '../../packages/server/src/operations/testing/catalogue.ts';
import type { Declaration } from '../../packages/server/src/operations/declaration.ts';
import { asJson } from '../../packages/server/src/operations/schema.ts';
import { presentFilters } from '../../packages/server/src/ledger/transactions/selection/schema.ts';
import { startProviders } from '../service/crypto-providers.ts';
import { recordsOf } from '../service/good-requests.ts';
import { pngBytes } from '../../packages/server/src/operations/testing/special-requests.ts';
import type { GoodRequest } from '../../packages/server/src/operations/testing/special-requests.ts';
import { startService, walk } from '../service/started-service.ts';

/*
 * Every method once, against the service, with the request of the catalogue. The library has no cookie, so it does not
 * sign in.
 */

interface Given {
  /** The only id in the path, or the last one. */
  readonly id: number;
  readonly account: never;
  readonly query: never;
  readonly body: never;
  readonly file: Blob;
}

type Call = (client: Client, given: Given) => Promise<unknown>;

function inBody(body: unknown, key: string): never {
  return (body as Record<string, unknown>)[key] as never;
}

/** The calls whose arguments are not those of {@link argumentsOf}. */
const calls: Readonly<Record<string, Call>> = {
  createNewTransactions: ({ transactions }, { body }) =>
    transactions.create(inBody(body, 'transactions')),
  updateTransactions: ({ transactions }, { body }) =>
    transactions.updateMany(inBody(body, 'transactions')),
  deleteTransactions: ({ transactions }, { body }) => transactions.deleteMany(inBody(body, 'ids')),
  splitTransaction: ({ transactions }, { id, body }) =>
    transactions.split(id, inBody(body, 'child_transactions')),
  attachFileToTransaction: ({ transactions }, { id }) =>
    transactions.attach(id, { file: new Blob([pngBytes], { type: 'image/png' }), name: 'a.png' }),
  ...Object.fromEntries(
    ['ForAccount', 'ForCryptoSynced'].flatMap((end): [string, Call][] => [
      [
        `getBalanceHistory${end}`,
        ({ balanceHistory }, { account, query }) => balanceHistory.get(account, query),
      ],
      [
        `upsertBalanceHistory${end}`,
        ({ balanceHistory }, { account, body }) =>
          balanceHistory.set(account, inBody(body, 'balances')),
      ],
      [
        `deleteBalanceHistory${end}`,
        ({ balanceHistory }, { account }) => balanceHistory.delete(account),
      ],
    ]),
  ),
  orderRules: ({ coffer }, { body }) => coffer.rules.order(inBody(body, 'rule_ids')),
  previewImport: ({ coffer }, { file, query }) => coffer.imports.preview(file, query),
};

const providers = await startProviders();
after(() => providers.close());
const service = await startService(
  { ...providers.flags, rateLimit: '100000', cofferRateLimit: '100000' },
  providers.environment,
);
after(() => service.close());
const { ada, baseUrl } = service;
const cryptoId = await providers.add(service.engine, ada, 'ethereum');
await service.ask(`/v2/crypto/synced/${cryptoId}/refresh`, { method: 'POST' });

interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
  readonly status: number;
  readonly text: string;
}

const exchanges: Exchange[] = [];
const recording: ClientOptions['fetch'] = async (url, init) => {
  const response = await fetch(url, init);
  const { status } = response;
  const sent = { method: init.method, url: new URL(url), body: init.body };
  exchanges.push({ ...sent, status, text: await response.clone().text() });
  return response;
};
const client = createClient({ baseUrl, token: ada.token, fetch: recording });

const operations = catalogue.filter(
  ({ kind, declaration }) =>
    declaration.v1 === undefined && kind !== 'open' && declaration.needsSession !== true,
);

test('the calls are of operations', () => {
  const ids = new Set(operations.map(({ declaration }) => declaration.id));
  assert.deepEqual(
    Object.keys(calls).filter((id) => !ids.has(id)),
    [],
  );
});

type Method = (...given: readonly unknown[]) => unknown;

/** The methods of a client and of its parts, besides `request`, which sends any request. */
function methodsOf({ request: _, ...parts }: object & { request?: unknown }): Method[] {
  return Object.values(parts).flatMap((member: unknown) =>
    typeof member === 'function' ? [member as Method] : methodsOf(member as object),
  );
}

const methods = methodsOf(client);
const tried: Pick<Exchange, 'method' | 'url' | 'body'>[] = [];
const trying = methodsOf(
  createClient({
    baseUrl,
    token: 'none',
    fetch: async (url, { method, body }) => {
      tried.push({ method, url: new URL(url), body });
      return Response.json({});
    },
  }),
);

/** What methods take: the ids of the path, the body, and the query. */
function argumentsOf({ operation, params, query, body }: GoodRequest): unknown[] {
  return [
    ...Object.values(params),
    ...(body === undefined ? [] : [body]),
    ...(operation.declaration.query === undefined ? [] : [query]),
  ];
}

/** Finds the method that sends a request, by what each sends for its arguments. Throws if there is none. */
async function methodFor(request: GoodRequest): Promise<Call> {
  const given = argumentsOf(request);
  const { pathname } = new URL(targetOf(request), baseUrl);
  for (const [index, method] of trying.entries()) {
    tried.length = 0;
    await (async () => method(...given))().catch(() => undefined);
    const [sent] = tried;
    const isSent = sent?.method === request.operation.method && sent.url.pathname === pathname;
    if (isSent && sent.body === (request.body && JSON.stringify(request.body)))
      return async () => methods[index]!(...given);
  }
  throw new Error(`No method sends ${request.operation.declaration.id}`);
}

for (const { method, declaration } of operations)
  test(`${declaration.id}: a method sends its request, and resolves to its response`, async () => {
    const made = await recordsOf(service).request(declaration.id);
    const request = { ...made, query: { ...flagsOf(declaration, made.query), ...made.query } };
    const { params, query, body, file } = request;
    const id = Number(Object.values(params).findLast((value) => typeof value === 'number'));
    const symbol = String(params['symbol']);
    const type = /\/balance_history\/(\w+)/.exec(request.path)?.[1];
    const account = { type, id, ...('symbol' in params && { symbol }) } as never;
    const given = { id, account, query: query as never, body: body as never };
    exchanges.length = 0;
    const called = calls[declaration.id] ?? (await methodFor(request));
    const result = await called(client, { ...given, file: new Blob([file?.bytes ?? '']) });
    const [exchange, ...more] = exchanges;
    assert.ok(exchange !== undefined && more.length === 0, `${exchanges.length} requests`);
    assert.equal(exchange.method, method);
    const expected = new URL(targetOf(request), baseUrl);
    assert.equal(exchange.url.pathname, expected.pathname);
    for (const [name, value] of expected.searchParams)
      assert.equal(exchange.url.searchParams.get(name), value, name);
    if (file === undefined && body !== undefined)
      assert.deepEqual(JSON.parse(String(exchange.body)), body);
    checkResult(result, exchange);
  });

/** All flags of an operation, except those that are refused because the request asks for an earlier state. */
function flagsOf({ query }: Declaration, sent: GoodRequest['query']): Record<string, string> {
  const refused = 'as_of' in sent ? presentFilters : [];
  const flags = Object.entries(query?.properties ?? {}).filter(
    ([name, schema]) => asJson(schema).type === 'boolean' && !refused.includes(name),
  );
  return Object.fromEntries(flags.map(([name]) => [name, 'false']));
}

/** A method resolves to the body, to a part of it, to a file, or to nothing where the body says nothing new. */
function checkResult(result: unknown, { method, url, status, text }: Exchange): void {
  if (result === undefined) {
    assert.ok(method === 'DELETE' || status === 202 || status === 204, url.pathname);
    return;
  }
  if (result instanceof File) {
    assert.equal(result.size, Buffer.byteLength(text));
    return;
  }
  const body = JSON.parse(text) as Record<string, unknown>;
  if (Object.values(body).some((part) => isDeepStrictEqual(part, result))) return;
  // Pages have more properties.
  assert.partialDeepStrictEqual(result, body);
}

test('a file arrives as it was sent, and only once it is deleted it is gone', async () => {
  const { transactions } = client;
  const id = await recordsOf(service).own('transaction');
  const file = new TextEncoder().encode('%PDF-1.7\nand more');
  const attachment = await transactions.attach(id, { file, name: 'bill.pdf', notes: 'n' });
  const { name, type, notes } = attachment;
  assert.deepEqual([name, type, notes], ['bill.pdf', 'application/pdf', 'n']);
  const { url } = await transactions.attachmentUrl(attachment.id);
  const bytes = await (await fetch(new URL(url, baseUrl))).arrayBuffer();
  assert.deepEqual(new Uint8Array(bytes), file);
  await transactions.deleteAttachment(attachment.id);
  await assert.rejects(transactions.deleteAttachment(attachment.id), { status: 404 });
});

test('repetitions are reported by the index in the whole list', async () => {
  const row = { date: '2026-01-05', amount: 4, payee: 'Twice' };
  const [first] = (await client.transactions.create([row])).transactions;
  const again = await client.transactions.create([row], { skip_duplicates: true });
  assert.equal(again.skipped_duplicates[0]?.existing_transaction_id, first!.id);
});

test('an export is a file with a name and a type', async () => {
  const file = await client.coffer.export();
  assert.match(file.name, /^coffer-ada-s-book-\d{4}-\d\d-\d\d\.csv$/);
  assert.equal(file.type, 'text/csv; charset=utf-8');
  assert.match(await file.text(), /^id,date,amount,currency,payee,/);
  const lines = (await (await client.coffer.export({ format: 'ndjson' })).text()).split('\n');
  assert.equal((JSON.parse(lines[0]!) as { type: string }).type, 'book');
  assert.ok(lines.length > 30);
  await assert.rejects(client.coffer.export({ as_of: '999999' }), { status: 400 });
});

test('changes are followed from a position', async () => {
  const { position } = await client.coffer.changes({ after: 'latest' });
  await client.tags.create({ name: 'Followed' });
  for await (const page of client.changes({ after: position, limit: 9 })) {
    assert.deepEqual(page.changes[0]?.value?.['name'], 'Followed');
    assert.deepEqual(await client.coffer.changes({ after: position }), page);
    break;
  }
});

test('a list in pages of 7 equals a walk by hand', async () => {
  const rows = await client.transactions.toArray({ limit: 7 }, { max: 10_000 });
  const pages = await walk(service, 7);
  assert.ok(rows.length > 7);
  assert.deepEqual(
    rows,
    pages.flatMap((page) => page.transactions),
  );
});

test('an error has every problem that the service reports', async () => {
  const refused = client.transactions.page({ limit: 2001, start_date: 'today' });
  await assert.rejects(refused, (error: { errors: object[] } & Error) => {
    const details = JSON.stringify(error.errors);
    assert.ok(details.includes('limit') && details.includes('start_date'), details);
    return error.name === 'ApiError' && /^GET http:.*limit=2001.*status 400/.test(error.message);
  });
  const stranger = createClient({ baseUrl, token: 'stranger' });
  await assert.rejects(stranger.me(), { name: 'ApiError', status: 401, reason: 'Unauthorized' });
});

test('25 concurrent calls under 10 requests a second get no 429', async (t) => {
  const limited = await startService({ rateLimit: '10/1s' });
  t.after(() => limited.close());
  const { token } = limited.ada;
  const paced = createClient({ baseUrl: limited.baseUrl, token, fetch: recording });
  exchanges.length = 0;
  await Promise.all(Array.from({ length: 25 }, () => paced.me()));
  assert.deepEqual(
    exchanges.map(({ status }) => status),
    Array.from({ length: 25 }, () => 200),
  );
});
