import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { load, noClients } from '../clients/load.ts';
import { connectTo, textOf, type McpClient } from '../clients/mcp.ts';
import { startProviders, type Providers } from '../service/crypto-providers.ts';
import { addRecurringItem } from '../service/json-requests.ts';
import { startService, type Service } from '../service/started-service.ts';
import { redirectFetch } from './redirected-fetch.ts';
import { addPlaidAccount } from '../../packages/server/src/operations/testing/outside-records.ts';
import { pngBytes } from '../../packages/server/src/operations/testing/special-requests.ts';

/* Every tool of an unchanged MCP server from npm. It knows only the vendor's host, so its requests are redirected. */

/** What is used of the server. */
interface ServerConfig {
  readonly initializeConfig: (token: string) => void;
}
interface ServerModule {
  readonly createServer: (version: string) => Pick<McpClient, 'connect'>;
}

/** Returns the first id in a text: that of the record that it shows. */
function idIn(text: string): number {
  const id = Number(/\bid"?: ?(\d+)/.exec(text)?.[1]);
  assert.ok(id > 0, text);
  return id;
}

/** The parameters of tools that name one record. A tool ignores those that it does not have. */
function one(id: number): object {
  const camel = { tagId: id, categoryId: id, accountId: id, recurringId: id };
  const snake = { category_id: id, crypto_id: id, account_id: id, transaction_id: id };
  return { ...camel, ...snake, file_id: id, entry_id: id };
}

describe('@akutishevsky/lunchmoney-mcp', { skip: noClients }, () => {
  let providers: Providers;
  let service: Service;
  let restoreFetch: () => void;
  let client: McpClient;
  let plaidId = 0;
  let recurringId = 0;
  let syncedId = 0;
  const used = new Set<string>();

  before(async () => {
    providers = await startProviders();
    const flags = { ...providers.flags, rateLimit: '100000/24h' };
    service = await startService(flags, providers.environment);
    restoreFetch = redirectFetch(service.baseUrl);
    const { engine, ada } = service;
    plaidId = await addPlaidAccount(engine, ada);
    recurringId = await addRecurringItem(service, ada);
    syncedId = await providers.add(engine, ada, 'ethereum');
    const { initializeConfig } = await load<ServerConfig>('@akutishevsky/lunchmoney-mcp/config');
    const { createServer } = await load<ServerModule>('@akutishevsky/lunchmoney-mcp/server');
    initializeConfig(ada.token);
    client = await connectTo(createServer('1.0.0'));
  });
  after(async () => {
    await client.close();
    restoreFetch();
    await service.close();
    await providers.close();
  });

  /** Calls a tool, which must succeed, and returns the text that it shows. */
  async function call(name: string, args: object = {}): Promise<string> {
    const { isError, text } = await attempt(name, args);
    assert.notEqual(isError, true, `${name}: ${text}`);
    return text;
  }

  async function attempt(name: string, args: object): Promise<{ isError: boolean; text: string }> {
    used.add(name);
    const result = await client.callTool({ name, arguments: args });
    return { isError: result.isError === true, text: textOf(result) };
  }

  test('it reads the user', async () => {
    assert.match(await call('get_user'), /ada@example\.org/);
  });

  for (const record of ['tag', 'category'])
    test(`it uses the tools of a ${record}`, async () => {
      const id = idIn(await call(`create_${record}`, { name: 'By a tool' }));
      await call(`update_${record}`, { ...one(id), description: 'x' });
      assert.match(await call(`get_single_${record}`, one(id)), /By a tool/);
      const all = record === 'tag' ? 'get_all_tags' : 'get_all_categories';
      assert.match(await call(all), /By a tool/);
      await call(`delete_${record}`, { ...one(id), force: true });
      assert.equal((await attempt(`get_single_${record}`, one(id))).isError, true);
    });

  test('it uses manual accounts and their balance history', async () => {
    const account = { name: 'By a tool', type: 'cash', balance: '10' };
    const id = idIn(await call('create_manual_account', account));
    await call('update_manual_account', { ...one(id), balance: '12' });
    assert.match(await call('get_single_manual_account', one(id)), /By a tool/);
    assert.match(await call('get_all_manual_accounts'), /By a tool/);
    const source = { account_type: 'manual', account_id: id };
    const balances = [{ month: '2025-12', balance: '5' }];
    const history = await call('upsert_account_balance_history', { ...source, balances });
    // Entries are shown as a table: their type, id and month.
    const entry = Number(/historical,(\d+),2025-12/.exec(history)?.[1]);
    assert.match(await call('get_account_balance_history', source), /2025-12/);
    assert.match(await call('get_balance_history'), /2025-12/);
    await call('delete_balance_history_entry', one(entry));
    assert.doesNotMatch(await call('get_account_balance_history', source), /2025-12/);
    await call('upsert_account_balance_history', { ...source, balances });
    await call('delete_manual_account', one(id));
    const text = await call('get_balance_history');
    const deleted = Number(/deleted_account_id"?: ?(\d+)/.exec(text)?.[1]);
    await call('update_deleted_account_details', { account_id: deleted, name: 'Former' });
    await call('delete_account_balance_history', { account_type: 'deleted', account_id: deleted });
  });

  test('it uses synced accounts and recurring items', async () => {
    assert.match(await call('get_single_plaid_account', one(plaidId)), new RegExp(String(plaidId)));
    assert.match(await call('get_all_plaid_accounts'), new RegExp(String(plaidId)));
    await call('trigger_plaid_fetch');
    assert.match(await call('get_single_recurring_item', one(recurringId)), /9\.99/);
    assert.match(await call('get_recurring_items'), /9\.99/);
  });

  test('it uses budgets and the summary', async () => {
    const category = idIn(await call('create_category', { name: 'Budgeted by a tool' }));
    const place = { category_id: category, start_date: '2026-01-01' };
    assert.match(await call('upsert_budget', { ...place, amount: 100 }), /100\.0000/);
    assert.match(await call('get_budget_settings'), /month/);
    const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
    assert.match(await call('get_budget_summary', { ...range, include_totals: true }), /aligned/);
    await call('remove_budget', place);
  });

  test('it uses crypto', async () => {
    assert.match(await call('get_supported_cryptocurrencies'), /bitcoin/);
    const url = 'https://www.coingecko.com/en/coins/bitcoin';
    const add = 'add_supported_cryptocurrency';
    const known = await attempt(add, { coingecko_url: url });
    assert.match(known.text, /\(422\): Request Validation Failure: .*existing_symbol=btc/);
    await providers.prices.fail({ json: { id: 'pi-network', symbol: 'pi', name: 'Pi Network' } });
    const coingecko_url = 'https://www.coingecko.com/en/coins/pi-network';
    assert.match(await call(add, { coingecko_url }), /Pi Network/);
    await providers.prices.fail(null);
    const cold = { name: 'Cold', symbol: 'btc', balance: '0.5' };
    const made = await call('create_manual_crypto', cold);
    const manual = one(idIn(made));
    await call('update_manual_crypto', { ...manual, balance: '0.75' });
    assert.match(await call('get_single_manual_crypto', manual), /0\.75/);
    assert.match(await call('get_all_manual_crypto'), /Cold/);
    await call('delete_manual_crypto', manual);
    const synced = one(syncedId);
    assert.match(await call('refresh_synced_crypto', synced), /1\.000000000000000001/);
    assert.match(await call('get_all_synced_crypto'), /ethereum/);
    await call('get_single_synced_crypto', synced);
    const balance = { ...synced, symbol: 'eth' };
    await call('get_synced_crypto_balance', balance);
    const balances = [{ month: '2025-12', balance: '5', symbol: 'eth', crypto_balance: '1' }];
    await call('upsert_crypto_synced_balance_history', { ...balance, balances });
    assert.match(await call('get_crypto_synced_balance_history', balance), /2025-12/);
    await call('delete_crypto_synced_balance_history', balance);
  });

  test('it uses transactions, groups, splits and attachments', async () => {
    const date = '2026-01-05';
    const transactions = [1, 2, 3].map((amount) => ({ date, amount, payee: 'By a tool' }));
    await call('create_transactions', { transactions });
    const { transactions: rows } = await service.list('start_date=2026-01-05&end_date=2026-01-05');
    const [first, second, third] = rows.map(({ id }) => id) as [number, number, number];
    const dates = { start_date: date, end_date: date };
    assert.match(await call('get_transactions', dates), /By a tool/);
    await call('get_single_transaction', one(first));
    const update = { notes: 'mine' };
    assert.match(await call('update_transaction', { ...one(first), update }), /mine/);
    const many = { transactions: [{ id: second, notes: 'also mine' }] };
    assert.match(await call('update_transactions_bulk', many), /also mine/);
    const ids = [first, second];
    const group = { ids, transaction_ids: ids, date, payee: 'G' };
    const groupId = idIn(await call('create_transaction_group', group));
    assert.match(await call('get_single_transaction', one(groupId)), /is_group_parent: true/);
    await call('delete_transaction_group', one(groupId));
    const amount = Number(rows[2]!['amount']) / 2;
    const parts = [{ amount }, { amount }];
    await call('split_transaction', { ...one(third), child_transactions: parts });
    assert.match(await call('get_single_transaction', one(third)), /is_split_parent: true/);
    await call('unsplit_transaction', one(third));
    const file = join(newFolder(), 'receipt.png');
    writeFileSync(file, pngBytes);
    const attached = { ...one(first), file_path: file, path: file };
    const fileId = idIn(await call('attach_file_to_transaction', attached));
    assert.match(await call('get_transaction_attachment_url', one(fileId)), /http/);
    await call('delete_transaction_attachment', one(fileId));
    await call('delete_transaction', one(first));
    const rest = [second, third];
    await call('delete_transactions_bulk', { ids: rest, transaction_ids: rest });
  });

  test('it shows the reason of a refusal', async () => {
    const missing = await attempt('get_single_tag', one(987_654));
    assert.equal(missing.isError, true);
    assert.match(missing.text, /\(404\): Not Found: There is no tag with the id: 987654\./);
    const budget = { category_id: 987_654, start_date: '2026-01-01', amount: 1 };
    assert.match((await attempt('upsert_budget', budget)).text, /\(400\): .*987654/);
  });

  test('every tool was used', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual([...used].toSorted(), tools.map(({ name }) => name).toSorted());
  });
});
