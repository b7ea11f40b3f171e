import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '../../packages/client/src/index.ts';
import type { Client, ClientOptions } from '../../packages/client/src/index.ts';
import { catalogue, targetOf } from '../../packages/server/src/operations/testing/catalogue.ts';
import type { Declaration } from '../../packages/server/src/operations/declaration.ts';
import { asJson } from '../../packages/server/src/operations/schema.ts';
import { startProviders } from '../service/crypto-providers.ts';
import { recordsOf } from '../service/good-requests.ts';
import { pngBytes } from '../../packages/server/src/operations/testing/special-requests.ts';
import { startService, walk } from '../service/started-service.ts';

/*
 * Every method once, against the service, with the request of the catalogue. The library has no cookie, so it does not
 * sign in.
 */

interface Given {
  /** The only id in the path, or the last one. */
  readonly id: number;
  readonly account: never;
  readonly symbol: string;
  readonly query: never;
  readonly body: never;
  readonly file: Blob;
}

type Call = (client: Client, given: Given) => Promise<unknown>;

function inBody(body: unknown, key: string): never {
  return (body as Record<string, unknown>)[key] as never;
}

const calls: Readonly<Record<string, Call>> = {
  getMe: (client) => client.me(),
  getAllTransactions: ({ transactions }, { query }) => transactions.page(query),
  getTransactionById: ({ transactions }, { id }) => transactions.get(id),
  createNewTransactions: ({ transactions }, { body }) =>
    transactions.create(inBody(body, 'transactions')),
  updateTransactions: ({ transactions }, { body }) =>
    transactions.updateMany(inBody(body, 'transactions')),
  deleteTransactions: ({ transactions }, { body }) => transactions.deleteMany(inBody(body, 'ids')),
  updateTransaction: ({ transactions }, { id, body, query }) =>
    transactions.update(id, body, query),
  deleteTransactionById: ({ transactions }, { id }) => transactions.delete(id),
  groupTransactions: ({ transactions }, { body }) => transactions.group(body),
  ungroupTransactions: ({ transactions }, { id }) => transactions.ungroup(id),
  splitTransaction: ({ transactions }, { id, body }) =>
    transactions.split(id, inBody(body, 'child_transactions')),
  unsplitTransaction: ({ transactions }, { id }) => transactions.unsplit(id),
  attachFileToTransaction: ({ transactions }, { id }) =>
    transactions.attach(id, { file: new Blob([pngBytes], { type: 'image/png' }), name: 'a.png' }),
  getTransactionAttachmentUrl: ({ transactions }, { id }) => transactions.attachmentUrl(id),
  deleteTransactionAttachment: ({ transactions }, { id }) => transactions.deleteAttachment(id),
  getAllCategories: ({ categories }, { query }) => categories.list(query),
  getCategoryById: ({ categories }, { id }) => categories.get(id),
  createCategory: ({ categories }, { body }) => categories.create(body),
  updateCategory: ({ categories }, { id, body }) => categories.update(id, body),
  deleteCategory: ({ categories }, { id, query }) => categories.delete(id, query),
  mergeCategory: ({ coffer }, { id, body }) => coffer.mergeCategory(id, body),
  getAllTags: ({ tags }) => tags.list(),
  getTagById: ({ tags }, { id }) => tags.get(id),
  createTag: ({ tags }, { body }) => tags.create(body),
  updateTag: ({ tags }, { id, body }) => tags.update(id, body),
  deleteTag: ({ tags }, { id, query }) => tags.delete(id, query),
  getAllManualAccounts: ({ accounts }) => accounts.list(),
  getManualAccountById: ({ accounts }, { id }) => accounts.get(id),
  createManualAccount: ({ accounts }, { body }) => accounts.create(body),
  updateManualAccount: ({ accounts }, { id, body }) => accounts.update(id, body),
  deleteManualAccount: ({ accounts }, { id, query }) => accounts.delete(id, query),
  mergeManualAccount: ({ coffer }, { id, body }) => coffer.mergeAccount(id, body),
  getAllPlaidAccounts: ({ syncedAccounts }) => syncedAccounts.list(),
  getPlaidAccountById: ({ syncedAccounts }, { id }) => syncedAccounts.get(id),
  triggerPlaidAccountFetch: ({ syncedAccounts }, { query }) => syncedAccounts.fetch(query),
  getAllRecurring: ({ recurringItems }, { query }) => recurringItems.list(query),
  getRecurringById: ({ recurringItems }, { id, query }) => recurringItems.get(id, query),
  listRecurringItems: ({ coffer }) => coffer.recurringItems.list(),
  createRecurringItem: ({ coffer }, { body }) => coffer.recurringItems.create(body),
  updateRecurringItem: ({ coffer }, { id, body }) => coffer.recurringItems.update(id, body),
  deleteRecurringItem: ({ coffer }, { id, query }) => coffer.recurringItems.delete(id, query),
  getBudgetSettings: ({ budgets }) => budgets.settings(),
  upsertBudget: ({ budgets }, { body }) => budgets.set(body),
  deleteBudget: ({ budgets }, { query }) => budgets.delete(query),
  getBookBudgetSettings: ({ coffer }) => coffer.budgetSettings.get(),
  updateBudgetSettings: ({ coffer }, { body }) => coffer.budgetSettings.update(body),
  getBudgetSummary: (client, { query }) => client.summary(query),
  getAllCryptocurrencies: ({ cryptocurrencies }) => cryptocurrencies.list(),
  createCryptocurrency: ({ cryptocurrencies }, { body }) => cryptocurrencies.create(body),
  getAllCryptoManual: ({ crypto }) => crypto.manual.list(),
  getCryptoManualById: ({ crypto }, { id }) => crypto.manual.get(id),
  createCryptoManual: ({ crypto }, { body }) => crypto.manual.create(body),
  updateCryptoManual: ({ crypto }, { id, body }) => crypto.manual.update(id, body),
  deleteCryptoManual: ({ crypto }, { id, query }) => crypto.manual.delete(id, query),
  getAllCryptoSynced: ({ crypto }) => crypto.synced.list(),
  getCryptoSyncedById: ({ crypto }, { id }) => crypto.synced.get(id),
  getCryptoSyncedBalanceBySymbol: ({ crypto }, { id, symbol }) => crypto.synced.balance(id, symbol),
  refreshCryptoSynced: ({ crypto }, { id }) => crypto.synced.refresh(id),
  getBalanceHistory: ({ balanceHistory }, { query }) => balanceHistory.list(query),
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
  deleteBalanceHistoryEntry: ({ balanceHistory }, { id }) => balanceHistory.deleteEntry(id),
  updateBalanceHistoryDetails: ({ balanceHistory }, { id, body }) =>
    balanceHistory.updateDeleted(id, body),
  updatePlaidAccount: ({ coffer }, { id, body }) => coffer.updateSyncedAccount(id, body),
  getAllRules: ({ coffer }) => coffer.rules.list(),
  getRuleById: ({ coffer }, { id }) => coffer.rules.get(id),
  createRule: ({ coffer }, { body }) => coffer.rules.create(body),
  updateRule: ({ coffer }, { id, body }) => coffer.rules.update(id, body),
  deleteRule: ({ coffer }, { id }) => coffer.rules.delete(id),
  orderRules: ({ coffer }, { body }) => coffer.rules.order(inBody(body, 'rule_ids')),
  previewRules: ({ coffer }, { body }) => coffer.rules.preview(body),
  applyRules: ({ coffer }, { body }) => coffer.rules.apply(body),
  getAllImports: ({ coffer }, { query }) => coffer.imports.list(query),
  getImportById: ({ coffer }, { id }) => coffer.imports.get(id),
  undoImport: ({ coffer }, { id, query }) => coffer.imports.undo(id, query),
  redoImport: ({ coffer }, { id }) => coffer.imports.redo(id),
  previewImport: ({ coffer }, { file, query }) => coffer.imports.preview(file, query),
  getImportRows: ({ coffer }, { id, query }) => coffer.imports.rows(id, query),
  commitImport: ({ coffer }, { id, body }) => coffer.imports.commit(id, body),
  discardImport: ({ coffer }, { id }) => coffer.imports.discard(id),
  exportBook: ({ coffer }, { query }) => coffer.export(query),
  getHistory: ({ coffer }, { query }) => coffer.history.list(query),
  getHistoryVersion: ({ coffer }, { id, query }) => coffer.history.get(id, query),
  getTransactionHistory: ({ coffer }, { id, query }) => coffer.history.ofTransaction(id, query),
  undoChange: ({ coffer }, { id, query }) => coffer.history.undoChange(id, query),
  undoLastChange: ({ coffer }, { query }) => coffer.history.undoLastChange(query),
  getAllWebhooks: ({ coffer }) => coffer.webhooks.list(),
  createWebhook: ({ coffer }, { body }) => coffer.webhooks.create(body),
  getWebhookById: ({ coffer }, { id }) => coffer.webhooks.get(id),
  updateWebhook: ({ coffer }, { id, body }) => coffer.webhooks.update(id, body),
  deleteWebhook: ({ coffer }, { id }) => coffer.webhooks.delete(id),
  rotateWebhookSecret: ({ coffer }, { id, body }) => coffer.webhooks.rotate(id, body),
  pingWebhook: ({ coffer }, { id }) => coffer.webhooks.ping(id),
  redeliverWebhook: ({ coffer }, { id, body }) => coffer.webhooks.redeliver(id, body),
  getWebhookAttempts: ({ coffer }, { id, query }) => coffer.webhooks.attempts(id, query),
  getChanges: ({ coffer }, { query }) => coffer.changes(query),
  getTransactionsAsOf: ({ coffer }, { query }) => coffer.transactions.page(query),
  getTransactionAsOf: ({ coffer }, { id, query }) => coffer.transactions.get(id, query),
  getTransactionMonths: ({ coffer }, { query }) => coffer.transactions.months(query),
  getTransactionSums: ({ coffer }, { query }) => coffer.sums(query),
  getPayees: ({ coffer }, { query }) => coffer.payees(query),
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

test('there is a method for every operation, except those of v1 and for signing in', () => {
  const ids = operations.map(({ declaration }) => declaration.id);
  assert.deepEqual(Object.keys(calls).toSorted(), ids.toSorted());
});

for (const { method, declaration } of operations)
  test(`${declaration.id}: a method sends its request, and resolves to its response`, async () => {
    const made = await recordsOf(service).request(declaration.id);
    const request = { ...made, query: { ...flagsOf(declaration), ...made.query } };
    const { params, query, body, file } = request;
    const id = Number(Object.values(params).findLast((value) => typeof value === 'number'));
    const symbol = String(params['symbol']);
    const type = /\/balance_history\/(\w+)/.exec(request.path)?.[1];
    const account = { type, id, ...('symbol' in params && { symbol }) } as never;
    const given = { id, account, symbol, query: query as never, body: body as never };
    exchanges.length = 0;
    const called = calls[declaration.id]!;
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

function flagsOf({ query }: Declaration): Record<string, string> {
  const flags = Object.entries(query?.properties ?? {}).filter(
    ([, schema]) => asJson(schema).type === 'boolean',
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
