import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noOpenssl } from '../../packages/server/src/limiter/testing/certificates.ts';
import { load, noClients, pathOf } from '../clients/load.ts';
import { connectToProgram, textOf } from '../clients/mcp.ts';
import { addRecurringItem, idOf, post, withBody } from '../service/json-requests.ts';
import { startService, type Service } from '../service/started-service.ts';
import { startFront, type Front } from './v1/front.ts';
import { addPlaidAccount } from '../../packages/server/src/operations/testing/outside-records.ts';
import { addUser } from '../service/service-books.ts';

/*
 * Every method of five clients of v1 from npm, unchanged. They know only the hosts of the vendor, so their connections
 * are redirected to a front with a certificate for those names.
 */

interface Named {
  readonly id: number;
  readonly name: string;
}
/** A transaction of v1, with the keys that tests read. */
interface Row {
  readonly id: number;
  readonly amount: string;
  readonly notes: string | null;
  readonly category_name: string | null;
  readonly tags: readonly Named[];
  readonly parent_id: number | null;
  readonly group_id: number | null;
  readonly has_children: boolean;
  readonly children?: readonly { readonly id: number }[];
}
interface Page {
  readonly transactions: readonly Row[];
  readonly has_more: boolean;
}
interface Ids {
  readonly ids: readonly number[];
}
interface CategoryId {
  readonly category_id: number;
}
interface Refused {
  readonly error: string;
}

/** Calls the methods of a client by their names, and remembers which were called. */
class CalledMethods {
  readonly #client: object;
  readonly #called = new Set<string>();

  constructor(client: object) {
    this.#client = client;
  }

  /** Calls a method; `T` is what it returns, as the caller checks. */
  async call<T>(name: string, ...args: unknown[]): Promise<T> {
    this.#called.add(name);
    const method = Reflect.get(this.#client, name) as (...all: unknown[]) => unknown;
    return (await method.apply(this.#client, args)) as T;
  }

  /** Fails unless every method of the client's class was called, except those that send its requests. */
  assertAll(...internal: readonly string[]): void {
    const prototype = Object.getPrototypeOf(this.#client) as object;
    const all = Object.getOwnPropertyNames(prototype).filter(
      (name) => !['constructor', 'request', ...internal].includes(name),
    );
    assert.deepEqual([...this.#called].toSorted(), all.toSorted());
  }
}

/** The class of a client that knows only a token. */
type ByToken = new (token: string) => object;

type Tool = Readonly<{ name: string; execute: (args: object) => Promise<string> }>;
type Register = (server: { addTool: (tool: Tool) => void }, client: object) => void;

/** Returns the tools of an MCP server. Its main program needs a native key store, so they are registered here. */
async function toolsOfSecondServer(token: string): Promise<ReadonlyMap<string, Tool>> {
  const name = '@infamousjoeg/lunchmoney-mcp/dist';
  const { LunchMoneyClient } = await load<{ LunchMoneyClient: ByToken }>(`${name}/api/client.js`);
  const client = new LunchMoneyClient(token);
  const tools = new Map<string, Tool>();
  const rooms = ['assets', 'budgets', 'categories', 'plaid', 'recurring', 'tags', 'transactions'];
  for (const room of [...rooms, 'user']) {
    const module = await load<Record<string, Register>>(`${name}/tools/${room}.js`);
    const [register] = Object.values(module);
    register!({ addTool: (tool) => tools.set(tool.name, tool) }, client);
  }
  return tools;
}

const today = new Date().toISOString().slice(0, 10);
const month = `${today.slice(0, 7)}-01`;
const date = '2026-01-05';
const range = { start_date: date, end_date: date };
const unknownId = 87_654_321;

function named(list: readonly Named[], name: string): Named | undefined {
  return list.find((each) => each.name === name);
}

describe('clients of v1', { skip: noOpenssl || noClients }, () => {
  let service: Service;
  let front: Front;
  let ada: Service['ada'];
  let plaidId = 0;
  let recurringId = 0;
  let cryptoId = 0;
  let second: CalledMethods;
  let tools: ReadonlyMap<string, Tool>;
  const used = new Set<string>();

  before(async () => {
    service = await startService({ rateLimit: '100000/24h' });
    front = await startFront(service.port);
    ada = service.ada;
    plaidId = await addPlaidAccount(service.engine, ada);
    recurringId = await addRecurringItem(service, ada);
    cryptoId = await post(service, '/v2/crypto/manual', {
      name: 'Made',
      symbol: 'btc',
      balance: '0.5',
    });
    const { LunchMoney } = await load<{ LunchMoney: ByToken }>('lunch-money-client');
    second = new CalledMethods(new LunchMoney(ada.token));
    tools = await toolsOfSecondServer(ada.token);
  });
  after(async () => {
    front.close();
    await service.close();
  });

  function hasPlaid(list: readonly Named[]): boolean {
    return list.some(({ id }) => id === plaidId);
  }

  test('lunch-money: all methods', async () => {
    type Class = new (options: { readonly token: string }) => object;
    const { LunchMoney } = await load<{ LunchMoney: Class }>('lunch-money');
    const client = new CalledMethods(new LunchMoney({ token: ada.token }));
    const { category_id: categoryId } = await client.call<CategoryId>(
      'createCategory',
      'By lunch-money',
      'x',
      false,
      false,
      true,
    );
    const categories = await client.call<Named[]>('getCategories');
    assert.equal(named(categories, 'By lunch-money')?.id, categoryId);
    const account = { name: 'Of lunch-money', type: 'cash', balance: '1' };
    const asset = idOf(await service.ask('/v2/manual_accounts', withBody('POST', account)));
    const row = { date, amount: 12.5, payee: 'By lunch-money', category_id: categoryId };
    const rows = [{ ...row, asset_id: asset, tags: ['new tag'] }, row];
    const { ids } = await client.call<Ids>('createTransactions', rows, true, true, true, true);
    const [id] = ids;
    const listed = await client.call<Row[]>('getTransactions', { ...range, asset_id: asset });
    assert.deepEqual(
      listed.map((each) => [each.id, each.amount, each.category_name, each.tags[0]?.name]),
      [[id, '-12.5000', 'By lunch-money', 'new tag']],
    );
    assert.deepEqual(await client.call('updateTransaction', id, { notes: 'n' }), { updated: true });
    const one = await client.call<Row>('getTransaction', id, { debit_as_negative: true });
    assert.deepEqual([one.notes, one.amount, ids.length], ['n', '12.5000', 2]);
    await assert.rejects(client.call('getTransaction', unknownId), /Transaction ID not found\./);
    const update = { id: asset, balance: '9' };
    const updated = await client.call<{ balance: string }>('updateAsset', update);
    assert.equal(updated.balance, '9.0000');
    assert.equal(named(await client.call<Named[]>('getAssets'), 'Of lunch-money')?.id, asset);
    const plaid = await client.call<{ id: number; limit: null }[]>('getPlaidAccounts');
    assert.equal(plaid.find((each) => each.id === plaidId)?.limit, null);
    client.assertAll('get', 'post', 'put', 'delete');
  });

  test('lunch-money-client: the user, categories, tags and budgets', async () => {
    assert.equal((await second.call<{ user_email: string }>('getUser')).user_email, ada.email);
    const { category_id: id } = await second.call<CategoryId>('createCategory', { name: 'A & B' });
    const group = { name: 'Group of second', new_categories: ['New'] };
    const { category_id: groupId } = await second.call<CategoryId>('createCategoryGroup', group);
    type Group = Readonly<{ children: Named[] }>;
    const added = await second.call<Group>('addToCategoryGroup', groupId, { category_ids: [id] });
    assert.deepEqual(added.children.map(({ name }) => name).toSorted(), ['A & B', 'New']);
    assert.equal(await second.call('updateCategory', id, { description: 'd' }), true);
    assert.equal(named(await second.call<Named[]>('getCategories'), 'A & B')?.id, id);
    // It reads a property that no response has.
    assert.equal(await second.call('getCategory', id), undefined);
    const budget = { start_date: month, category_id: id, amount: 100, currency: 'eur' };
    assert.deepEqual(await second.call('upsertBudget', budget), {
      category_group: { category_id: groupId, amount: 100, currency: 'eur', start_date: month },
    });
    type Budget = Readonly<{
      category_id: number;
      data: Record<string, { budget_amount?: number }>;
    }>;
    const months = { start_date: month, end_date: today };
    const budgets = await second.call<Budget[]>('getBudgets', months);
    assert.equal(budgets.find((each) => each.category_id === id)?.data[month]?.budget_amount, 100);
    // It does not send its arguments.
    assert.ok('error' in (await second.call<Refused>('deleteBudget', budget)));
    const kept = JSON.stringify(await second.call('deleteCategory', groupId));
    assert.match(kept, /"category_name":"Group of second".*"children":2/);
    assert.equal(await second.call('forceDeleteCategory', id), true);
    const [tag] = await second.call<Named[]>('getTags');
    assert.deepEqual(Object.keys(tag!), ['id', 'name', 'description', 'archived']);
  });

  test('lunch-money-client: transactions', async () => {
    const account = { type_name: 'cash', name: 'Of second', balance: 0 };
    const { id: asset_id } = await second.call<Named>('createAsset', account);
    const row = { date: '2026-01-06', payee: 'By second', asset_id };
    const transactions = [1, 2, 10].map((amount) => ({ ...row, amount }));
    const { ids } = await second.call<Ids>('createTransactions', { transactions });
    const [one, two, whole] = ids as [number, number, number];
    await second.call('updateTransaction', one, { transaction: { status: 'cleared' } });
    const parts = { split: [{ amount: 4 }, { amount: 6 }] };
    const split = await second.call<{ split: number[] }>('splitTransaction', whole, parts);
    assert.equal(split.split.length, 2);
    const group = { date: row.date, payee: 'Group', transactions: [one, two] };
    const groupId = await second.call<number>('createTransactionGroup', group);
    const found = await second.call<Row>('getTransactionGroup', one);
    assert.deepEqual([found.id, found.amount, found.children?.length], [groupId, '3', 2]);
    const dates = { start_date: row.date, end_date: row.date };
    const page = await second.call<Page>('getTransactions', { ...dates, limit: 6 });
    const groups = page.transactions.filter((each) => each.group_id === groupId);
    const halves = page.transactions.filter((each) => each.parent_id === whole);
    assert.deepEqual([page.transactions.length, groups.length, halves.length], [6, 2, 2]);
    assert.equal(page.has_more, false);
    assert.equal((await second.call<Row>('getTransaction', whole)).has_children, true);
    const unsplit = { parent_ids: [whole], remove_parents: true };
    assert.deepEqual(await second.call('unsplitTransactions', unsplit), [...split.split, whole]);
    const ungrouped = await second.call<Page>('deleteTransactionGroup', groupId);
    assert.deepEqual(ungrouped, { transactions: [one, two] });
  });

  test('lunch-money-client: accounts and crypto', async () => {
    const body = { type_name: 'cash', name: 'By second', balance: 5.5 };
    const asset = await second.call<Record<string, unknown>>('createAsset', body);
    assert.deepEqual([asset['type_name'], asset['balance']], ['depository', '5.5000']);
    const id = asset['id'];
    const update = { closed_on: today, name: 'Closed' };
    const updated = await second.call<Named>('updateAsset', id, update);
    assert.ok(named(await second.call<Named[]>('getAssets'), updated.name));
    assert.ok(hasPlaid(await second.call<Named[]>('getPlaidAccounts')));
    assert.equal(await second.call('syncPlaidAccounts'), true);
    const crypto = await second.call<{ id: number; currency: string }[]>('getCrypto');
    assert.deepEqual([crypto[0]?.id, crypto[0]?.currency], [cryptoId, 'BTC']);
    const coin = await second.call<{ balance: string }>('updateCrypto', cryptoId, { balance: 2 });
    assert.equal(coin.balance, `2.${'0'.repeat(18)}`);
  });

  test('lunchmoney-tools: all methods', async () => {
    const { LunchMoneyApi } = await load<{ LunchMoneyApi: ByToken }>('lunchmoney-tools');
    const client = new CalledMethods(new LunchMoneyApi(ada.token));
    assert.equal((await client.call<{ user_name: string }>('getCurrentUser')).user_name, ada.name);
    const row = { date: '2026-01-07', payee: 'By tools' };
    const made = [1, 2, 3].map((amount) => ({ ...row, amount, notes: 'old', tags: ['kept'] }));
    const { ids } = await client.call<Ids>('createTransactions', made, { apply_rules: true });
    const [one, two, three] = ids as [number, number, number];
    const changes = { addTags: ['added'], appendNotes: 'new' };
    const split = [{ amount: 1 }, { amount: 2 }];
    await client.call('updateTransaction', one, changes);
    await client.call('updateTransaction', three, {}, { split });
    const first = await client.call<Row>('getTransaction', one);
    const tags = first.tags.map(({ name }) => name).toSorted();
    assert.deepEqual([first.notes, tags], ['old new', ['added', 'kept']]);
    const removed = await client.call<number[]>('unsplitTransactions', [three], true);
    assert.equal(removed.at(-1), three);
    const group = { date: row.date, payee: 'Group', transactions: [one, two] };
    const groupId = await client.call<number>('createTransactionGroup', group);
    assert.equal((await client.call<Row>('getTransactionGroup', two)).id, groupId);
    await client.call('deleteTransactionGroup', groupId);
    const query = { start_date: row.date, end_date: row.date, limit: 1 };
    const page = await client.call<Page>('getTransactions', query);
    assert.deepEqual([page.transactions.map(({ id }) => id), page.has_more], [[two], true]);
    const found = await client.call<Row[]>('searchTransactions', page.transactions, 'TOOLS');
    assert.equal(found.length, 1);
    const { assets } = await client.call<{ assets: Named[] }>('getAssets');
    const plaid = await client.call<{ plaid_accounts: Named[] }>('getPlaidAccounts');
    assert.ok(assets.length > 0 && hasPlaid(plaid.plaid_accounts));
    const { categories } = await client.call<{ categories: Named[] }>('getCategories', 'nested');
    assert.ok(named(categories, 'Home'));
    assert.ok(named(await client.call<Named[]>('getTags', { archived: false }), 'added'));
    const stranger = new CalledMethods(new LunchMoneyApi('a-token-of-nobody'));
    await assert.rejects(stranger.call('getCurrentUser'), /Invalid API key/);
    client.assertAll();
  });

  test('lunchmoney-mcp-server: all tools', async () => {
    const cara = await addUser(service.engine, 'cara');
    const send = (path: string, body: object) => service.ask(path, withBody('POST', body, cara));
    const category_id = idOf(await send('/v2/categories', { name: 'Food' }));
    const rows = [7, 8].map((amount) => ({ date: today, amount, payee: 'Baker', category_id }));
    await send('/v2/transactions', { transactions: rows });
    const budget = { category_id, start_date: month, amount: 100 };
    await service.ask('/v2/budgets', withBody('PUT', budget, cara));
    const name = 'lunchmoney-mcp-server';
    const env = { ...front.environment, PATH: process.env['PATH']!, LUNCHMONEY_TOKEN: cara.token };
    const args = [pathOf(`${name}/build/index.js`)];
    const client = await connectToProgram({ command: process.execPath, args, env });
    after(() => client.close());
    const called = async (tool: string, parameters: object): Promise<string> =>
      textOf(await client.callTool({ name: tool, arguments: parameters }));
    const months = { start_date: month, end_date: today };
    const summary = await called('get-budget-summary', months);
    assert.match(summary, /Category: Food\n[^]*Spending: 15\.00 EUR\nBudget: 100\.00/);
    const recent = await called('get-recent-transactions', { limit: 1 });
    assert.match(recent, /^Date: .*\nAmount: 8\.0000 EUR\nPayee: Baker\nCategory: Food/);
    const found = await called('search-transactions', { keyword: 'BAKER' });
    assert.equal(found.split('---').length, 2);
    assert.match(await called('get-category-spending', { category: 'food' }), /EUR: 15\.00/);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 4);
  });

  /** Calls a tool and returns the text that it shows. */
  async function shown(name: string, args: object = {}): Promise<string> {
    used.add(name);
    return tools.get(name)!.execute(args);
  }

  async function read<T>(name: string, args: object = {}): Promise<T> {
    return JSON.parse(await shown(name, args)) as T;
  }

  test('@infamousjoeg/lunchmoney-mcp: records', async () => {
    assert.equal((await read<{ user_email: string }>('getUser')).user_email, ada.email);
    const asset = { type_name: 'loan', name: 'By a tool', balance: '10' };
    const { id: assetId } = await read<Named>('createAsset', asset);
    await read('updateAsset', { id: assetId, balance: '7' });
    assert.match(await shown('getAssets'), /"name": "By a tool",[^}]*"balance": "7\.0000"/);
    const created = await read<CategoryId>('createCategory', { name: 'By a tool' });
    const { category_id: id } = created;
    await read('updateCategory', { id, description: 'd' });
    assert.match(await shown('getCategory', { id }), /"name": "By a tool",\s*"description": "d"/);
    const group = { name: 'Group by a tool', category_ids: [id], new_categories: ['Made by it'] };
    const { category_id: group_id } = await read<CategoryId>('createCategoryGroup', group);
    const { category_id: other } = await read<CategoryId>('createCategory', { name: 'Another' });
    const more = { group_id, category_ids: [other] };
    const added = await read<{ children: Named[] }>('addToGroup', more);
    assert.equal(added.children.length, 3);
    assert.ok(named((await read<{ categories: Named[] }>('getCategories')).categories, 'Another'));
    assert.match(await shown('deleteCategory', { id: other }), /deleted successfully/);
    assert.match(await shown('getTags'), /"name": "kept"/);
    assert.match(await shown('getPlaidAccounts'), new RegExp(`"id": ${plaidId},`));
    // Another client has just requested it.
    assert.equal(await read('fetchPlaidAccounts'), false);
  });

  test('@infamousjoeg/lunchmoney-mcp: transactions', async () => {
    const rows = [1, 2, 5].map((amount) => ({ date: '2026-01-08', amount, payee: 'By a tool' }));
    const { ids } = await second.call<Ids>('createTransactions', { transactions: rows });
    const [one, two, three] = ids as [number, number, number];
    const filter = { start_date: '2026-01-08', end_date: '2026-01-08', pending: true };
    const page = await read<Page>('getTransactions', { ...filter, debit_as_negative: true });
    assert.equal(Number(page.transactions[0]?.amount), -1);
    assert.equal((await read<Row>('getTransaction', { id: one })).amount, '1.0000');
    const grouped = { date: '2026-01-08', payee: 'Group', transactions: [one, two] };
    const groupId = await read<number>('createTransactionGroup', grouped);
    assert.equal((await read<Row>('getTransactionGroup', { id: one })).id, groupId);
    assert.match(await shown('deleteTransactionGroup', { id: groupId }), /deleted successfully/);
    const parts = { split: [{ amount: 2 }, { amount: 3 }] };
    const { split } = await second.call<{ split: number[] }>('splitTransaction', three, parts);
    assert.deepEqual(await read('unsplitTransactions', { parent_ids: [three] }), split);
  });

  // v1 never had most of these operations. The others are sent what it does not understand.
  test('@infamousjoeg/lunchmoney-mcp: tools that are refused change nothing', async () => {
    const version = async () => (await service.ask('/v2/me')).lines['etag']?.[0];
    const before = await version();
    const { transactions } = await service.list('limit=1');
    const id = transactions[0]!.id;
    const notAllowed = ['deleteAsset', 'createBudget', 'createTag', 'deleteTransaction'];
    const refusals = {
      ...Object.fromEntries(notAllowed.map((name) => [name, 405])),
      bulkUpdateTransactions: 405,
      updateBudget: 404,
      deleteBudget: 404,
      updateTag: 404,
      deleteTag: 404,
      // They leave out the property that has the transaction.
      createTransaction: 404,
      updateTransaction: 404,
    };
    const sent = { id, transaction_ids: [id], name: 'x', payee: 'x', date, amount: '1' };
    for (const [name, status] of Object.entries(refusals))
      assert.match(await shown(name, sent), new RegExp(`Error: .* \\(Status: ${status}\\)$`), name);
    // It sends no dates.
    assert.match(await shown('getBudgets'), /"error": \[\s*"Missing query parameter start_date"/);
    assert.equal(await version(), before);
  });

  test('recurring items are read, and only read', async () => {
    const items = await second.call<{ id: number; amount: string }[]>('getRecurringItems');
    assert.equal(items.find(({ id }) => id === recurringId)?.amount, '9.9900');
    assert.match(await shown('getRecurringItems'), /"amount": "9\.9900"/);
    const sent = { id: recurringId, payee: 'x', amount: '1' };
    assert.match(await shown('createRecurringItem', sent), /\(Status: 405\)$/);
    assert.match(await shown('updateRecurringItem', sent), /\(Status: 404\)$/);
    assert.match(await shown('deleteRecurringItem', sent), /\(Status: 404\)$/);
  });

  test('every method of lunch-money-client, and every tool, was called', () => {
    second.assertAll('get', 'post', 'put', 'delete', 'decodeHtmlEntities');
    assert.deepEqual([...used].toSorted(), [...tools.keys()].toSorted());
  });
});
