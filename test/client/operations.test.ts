import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../../packages/client/src/index.ts';
import type { ClientOptions } from '../../packages/client/src/index.ts';
import { changing } from '../../packages/server/src/changes/changing.ts';
import {
  cryptoAccounts,
  cryptoBalances,
  plaidAccounts,
} from '../../packages/server/src/db/tables.ts';
import {
  deafUrl,
  testSender,
} from '../../packages/server/src/connectors/webhooks/testing/test-sender.ts';
import { createDiskStore } from '../../packages/server/src/files/disk.ts';
import { makeTestApp, testServices } from '../../packages/server/src/http/testing/test-app.ts';
import { ROOT } from '../house/tracked-files.ts';

/*
 * Every method once, against the service. Each request is compared with the API documents, so the last test knows
 * which operations the library uses. It has no cookie, so it does not sign in.
 */

interface Described {
  readonly operationId: string;
  /** Absent if it is that of the document: an access token, or a cookie. */
  readonly security?: readonly object[];
}
type Documented = Readonly<Record<string, Readonly<Record<string, Described>>>>;

const operations = ['docs/openapi.json', 'docs/coffer-openapi.json'].flatMap((file) => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { paths: Documented };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security === undefined)
      .map(([method, { operationId }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        parameters: path.split('{').length,
      })),
  );
});

/** The operation of a request: of several that match, the one with the fewest parameters. */
function operationOf(method: string, path: string): string {
  const found = operations
    .filter((each) => each.method === method && each.path.test(path))
    .toSorted((one, other) => one.parameters - other.parameters);
  return found[0]?.id ?? `${method} ${path} is not documented`;
}

const folder = mkdtempSync(join(tmpdir(), 'coffer-operations-'));
const clockNow = (): number => Date.parse('2023-03-15T06:30:00.250Z');
const asset = { coingeckoId: 'pi-network', symbol: 'pi', name: 'Pi Network' };
const { app, engine, ada } = await makeTestApp({
  services: {
    ...testServices(clockNow),
    files: createDiskStore(folder),
    webhookSender: testSender(),
    assetSource: { find: () => Promise.resolve(asset), prices: () => Promise.resolve([]) },
  },
});
await app.listen({ host: '127.0.0.1', port: 0 });
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const used = new Set<string>();
const recording: ClientOptions['fetch'] = async (url, init) => {
  used.add(operationOf(init.method, new URL(url).pathname));
  return await fetch(url, init);
};
const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
const client = createClient({ baseUrl, token: ada.token, fetch: recording });
const { transactions, accounts, categories, tags, coffer } = client;
const category = await categories.create({ name: 'Food' });
const account = await accounts.create({ name: 'Cash', type: 'cash', balance: '10' });

/** Runs with the id of a record that the API cannot create. */
async function filled<T>(work: Parameters<typeof changing<T>>[1]): Promise<T> {
  const cause = { bookId: ada.identity.book.id, actor: 'test', operation: 'fill' };
  return await engine.write(() => changing(cause, work));
}

test('transactions', async () => {
  const rows = [4, 5, 6].map((amount) => ({ date: '2026-01-05', amount, payee: `p${amount}` }));
  const created = await transactions.create(rows, { skip_duplicates: true });
  const ids = created.transactions.map(({ id }) => id);
  const again = await transactions.create(rows.slice(0, 1), { skip_duplicates: true });
  assert.equal(again.skipped_duplicates[0]?.existing_transaction_id, ids[0]);
  assert.equal((await transactions.get(ids[0]!)).payee, 'p4');
  const page = await transactions.page({ start_date: '2026-01-05', end_date: '2026-01-05' });
  assert.equal(page.transactions.length, 3);
  const one = await transactions.update(ids[0]!, { notes: 'n' }, { update_balance: false });
  assert.equal(one.notes, 'n');
  const changes = ids.map((id) => ({ id, category_id: category.id }));
  const changed = await transactions.updateMany(changes);
  assert.deepEqual(
    changed.map(({ id, category_id }) => [id, category_id]),
    ids.map((id) => [id, category.id]),
  );
  const group = await transactions.group({
    ids: ids.slice(0, 2),
    date: '2026-01-06',
    payee: 'Both',
  });
  assert.deepEqual([group.amount, group.children?.length], ['9.0000', 2]);
  await transactions.ungroup(group.id);
  const split = await transactions.split(ids[2]!, [{ amount: 2 }, { amount: '4' }]);
  assert.equal(split.children?.length, 2);
  await transactions.unsplit(ids[2]!);
  await transactions.delete(ids[0]!);
  await transactions.deleteMany(ids.slice(1));
  await assert.rejects(transactions.get(ids[2]!), { status: 404 });
});

test('attachments', async () => {
  const created = await transactions.create([{ date: '2026-01-05', amount: 1 }]);
  const [row] = created.transactions;
  const file = new TextEncoder().encode('%PDF-1.7\nand more');
  const attachment = await transactions.attach(row!.id, { file, name: 'bill.pdf', notes: 'n' });
  assert.deepEqual(
    [attachment.name, attachment.type, attachment.notes],
    ['bill.pdf', 'application/pdf', 'n'],
  );
  const { url } = await transactions.attachmentUrl(attachment.id);
  const bytes = await (await fetch(new URL(url, baseUrl))).arrayBuffer();
  assert.deepEqual(new Uint8Array(bytes), file);
  await transactions.deleteAttachment(attachment.id);
  await assert.rejects(transactions.deleteAttachment(attachment.id), { status: 404 });
});

test('categories and tags', async () => {
  const other = await categories.create({ name: 'Groceries' });
  assert.equal((await categories.update(other.id, { name: 'Market' })).name, 'Market');
  assert.equal((await categories.get(other.id)).name, 'Market');
  assert.equal((await categories.list()).length, 2);
  assert.equal((await coffer.mergeCategory(other.id, { into_id: category.id })).id, category.id);
  const third = await categories.create({ name: 'Third' });
  await categories.delete(third.id);
  const tag = await tags.create({ name: 'Trip' });
  assert.equal((await tags.update(tag.id, { name: 'Holiday' })).name, 'Holiday');
  assert.deepEqual(await tags.get(tag.id), (await tags.list())[0]);
  await tags.delete(tag.id);
});

test('accounts', async () => {
  const other = await accounts.create({ name: 'Purse', type: 'cash', balance: 5 });
  assert.equal((await accounts.update(other.id, { balance: 7 })).balance, '7.0000');
  assert.equal((await accounts.get(other.id)).name, 'Purse');
  assert.equal((await accounts.list()).length, 2);
  const merged = await coffer.mergeAccount(other.id, { into_id: account.id, add_balance: true });
  assert.equal(merged.balance, '17.0000');
  const third = await accounts.create({ name: 'Third', type: 'cash', balance: 5 });
  await accounts.delete(third.id, { delete_items: true });
});

test('synced accounts', async () => {
  const linked = { linked_by_name: 'Ada', date_linked: '2020-01-28', currency: 'eur' };
  await filled((change) =>
    change.insert(plaidAccounts, {
      ...{ ...linked, name: 'Freedom', institution_name: 'Chase', type: 'credit' },
      ...{ subtype: 'credit card', mask: '', balance: 0 },
    }),
  );
  const [synced] = await client.syncedAccounts.list();
  assert.deepEqual(await client.syncedAccounts.get(synced!.id), synced);
  await client.syncedAccounts.fetch({ start_date: '2026-01-01', end_date: '2026-01-02' });
  await assert.rejects(client.syncedAccounts.fetch(), { status: 425 });
});

test('recurring items', async () => {
  const criteria = { granularity: 'month', quantity: 1, anchor_date: '2026-01-05' } as const;
  const transaction_criteria = { ...criteria, amount: '12.50', payee: 'Rent' };
  const made = await coffer.recurringItems.create({ transaction_criteria });
  await coffer.recurringItems.update(made.id, { description: 'Flat' });
  assert.equal((await coffer.recurringItems.list())[0]?.description, 'Flat');
  const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
  const item = await client.recurringItems.get(made.id, range);
  assert.deepEqual(item.matches?.expected_occurrence_dates, ['2026-01-05']);
  assert.deepEqual(await client.recurringItems.list(range), [item]);
  await coffer.recurringItems.delete(made.id, { force: true });
  assert.deepEqual(await coffer.recurringItems.list(), []);
});

test('budgets and the summary', async () => {
  const { budgets } = client;
  const changed = await coffer.budgetSettings.update({ budget_hide_no_activity: true });
  assert.equal(changed.budget_hide_no_activity, true);
  assert.deepEqual(await budgets.settings(), changed);
  assert.deepEqual(await coffer.budgetSettings.get(), changed);
  const place = { category_id: category.id, start_date: '2026-01-01' };
  assert.equal((await budgets.set({ ...place, amount: 100 })).amount, '100.0000');
  const range = { start_date: '2026-01-01', end_date: '2026-01-31' };
  const summary = await client.summary({ ...range, include_totals: true });
  assert.equal(summary.aligned, true);
  await budgets.delete(place);
});

test('rules', async () => {
  const { rules } = coffer;
  const conditions = { payee: { operator: 'contains', value: 'x' } } as const;
  const first = await rules.create({ name: 'A', conditions, actions: { notes: 'n' } });
  const second = await rules.create({ name: 'B', conditions, actions: { notes: 'm' } });
  assert.equal((await rules.update(first.id, { name: 'C' })).name, 'C');
  const ordered = await rules.order([second.id, first.id]);
  assert.deepEqual(await rules.list(), ordered);
  assert.deepEqual(await rules.get(second.id), ordered[0]);
  await transactions.create([{ date: '2026-01-07', amount: 1, payee: 'x' }]);
  assert.equal((await rules.preview({ rule_id: first.id })).transactions.length, 1);
  assert.equal((await rules.apply({ rule_id: first.id })).changed, 1);
  await rules.delete(first.id);
  assert.equal((await rules.list()).length, 1);
});

test('earlier transactions', async () => {
  const query = { as_of: '1', limit: 5 };
  assert.deepEqual(await coffer.transactions.toArray(query, { max: 9 }), []);
  await assert.rejects(coffer.transactions.get(1030, { as_of: '1' }), { status: 404 });
  assert.equal((await coffer.transactions.page({ limit: 5 })).transactions.length, 5);
});

test('searches, months, sums and payees of transactions', async () => {
  await transactions.create([{ date: '2019-05-06', amount: 3, payee: 'Pâtisserie' }]);
  const list = coffer.transactions;
  const { total, transactions: found } = await list.search({ q: 'PATIS', sort: 'amount' });
  assert.deepEqual([total, found[0]?.payee], [1, 'Pâtisserie']);
  const { count, months: all } = await list.months({ q: 'patis' });
  const month = { month: '2019-05', count: 1, total: '3.0000' };
  assert.deepEqual([count, all], [1, [month]]);
  assert.deepEqual(await coffer.sums({ end_month: '2019-12' }), { sums: [month] });
  const { payees } = await coffer.payees({ q: 'pâti' });
  assert.partialDeepStrictEqual(payees[0], { payee: 'Pâtisserie', last_date: '2019-05-06' });
});

test('history', async () => {
  const { history } = coffer;
  const { transactions: made } = await transactions.create([{ date: '2026-01-05', amount: 1 }]);
  const id = made[0]!.id;
  const query = { record: 'transactions', id, limit: 1 } as const;
  const { history: entries } = await history.list(query);
  const { version, actor, counts } = entries[0]!;
  assert.deepEqual(actor, { kind: 'token', id: ada.identity.callerId, name: "ada's laptop" });
  const { records } = await history.get(version, { limit: 1 });
  assert.deepEqual([counts[0]?.count, records[0]?.id, records[0]?.before], [1, id, null]);
  const own = await history.ofTransaction(id, { limit: 5 });
  assert.equal(own.history[0]?.after?.['amount'], '1.0000');
  await assert.rejects(history.get(1), { status: 404 });
  const undone = await history.undoLastChange();
  assert.deepEqual([undone.undoes, undone.conflicts], [version, []]);
  await assert.rejects(history.undoChange(version), { status: 409 });
  const redone = await history.undoChange(undone.version!, { conflicts: 'skip' });
  assert.equal(redone.undoes, undone.version);
  assert.equal((await transactions.get(id)).id, id);
});

test('imports', async () => {
  const { imports } = coffer;
  const file = new Blob(['Date,Payee,Amount\n2026-01-09,Imported,-1.00\n']);
  const shown = await imports.preview(file, { file_name: 'january.csv' });
  assert.deepEqual([shown.status, shown.imported, shown.file_name], ['ready', 1, 'january.csv']);
  const { rows } = await imports.rows(shown.id, { verdict: 'new' });
  assert.deepEqual(rows, shown.rows);
  assert.equal((await imports.commit(shown.id)).status, 'imported');
  await imports.discard((await imports.preview(file)).id);
  const { imports: all, has_more } = await imports.list({ limit: 1 });
  const [made] = all;
  assert.deepEqual([made?.imported, has_more], [1, false]);
  assert.deepEqual(await imports.get(made!.id), made);
  const undone = await imports.undo(made!.id, { conflicts: 'skip' });
  assert.deepEqual([undone.import.status, undone.conflicts], ['undone', []]);
  await assert.rejects(imports.undo(made!.id), { status: 400 });
  assert.equal((await imports.redo(made!.id)).import.status, 'imported');
});

test('webhooks', async () => {
  const { webhooks } = coffer;
  const { secret, ...made } = await webhooks.create({ url: deafUrl, records: ['tags'] });
  assert.match(secret, /^whsec_/);
  const { id } = made;
  assert.deepEqual(await webhooks.list(), [made]);
  assert.deepEqual(await webhooks.get(id), made);
  const changed = await webhooks.update(id, { enabled: false });
  assert.deepEqual([changed.status, changed.disabled?.reason], ['disabled', 'request']);
  assert.notEqual((await webhooks.rotate(id)).secret, secret);
  const ping = await webhooks.ping(id);
  assert.deepEqual([ping.kind, ping.delivered, ping.status], ['ping', false, null]);
  assert.deepEqual(await webhooks.attempts(id, { limit: 1 }), {
    attempts: [ping],
    has_more: false,
  });
  const { webhook, attempt } = await webhooks.redeliver(id, { after: '1' });
  assert.deepEqual([webhook.id, attempt], [id, null]);
  await webhooks.delete(id);
  await assert.rejects(webhooks.get(id), { status: 404 });
});

test('changes', async () => {
  const { position } = await coffer.changes({ after: 'latest' });
  await tags.create({ name: 'Followed' });
  for await (const page of client.changes({ after: position, limit: 9 })) {
    assert.deepEqual(page.changes[0]?.value?.['name'], 'Followed');
    assert.deepEqual(await coffer.changes({ after: position }), page);
    break;
  }
});

test('the export', async () => {
  const file = await coffer.export();
  assert.equal(file.name, 'coffer-ada-s-book-2023-11-14.csv');
  assert.equal(file.type, 'text/csv; charset=utf-8');
  assert.match(
    await file.text(),
    /^id,date,amount,currency,payee,.*\n1001,2024-01-31,-1.2300,eur,/,
  );
  const lines = (await (await coffer.export({ format: 'ndjson' })).text()).trimEnd().split('\n');
  assert.equal((JSON.parse(lines[0]!) as { type: string }).type, 'book');
  assert.ok(lines.length > 30);
  await assert.rejects(coffer.export({ as_of: '999999' }), { status: 400 });
});

test('crypto', async () => {
  const now = new Date(clockNow()).toISOString();
  await filled(function* (change) {
    yield* change.insert(cryptoAccounts, {
      ...{ id: 7, provider: 'kraken', status: 'active', display_name: 'Coins' },
      ...{ created_by_name: 'Ada', created_at: now, updated_at: now, last_import: now },
      sealed_credentials: Buffer.of(1, 2, 3),
    });
    yield* change.insert(cryptoBalances, {
      ...{
        account_id: 7,
        symbol: 'btc',
        name: 'BTC',
        quantity: `0.${'5'.padEnd(18, '0')}`,
        coingecko_id: 'bitcoin',
      },
      ...{ to_base: 1, price_as_of: now, read_at: now },
    });
  });
  const { synced, manual } = client.crypto;
  const [linked] = await synced.list();
  assert.deepEqual(await synced.get(7), linked);
  assert.deepEqual(await synced.balance(7, 'btc'), linked!.balances[0]);
  assert.equal((await synced.refresh(7)).id, 7);
  const url = 'https://www.coingecko.com/en/coins/pi-network';
  assert.equal((await client.cryptocurrencies.create({ coingecko_url: url })).symbol, 'pi');
  assert.ok((await client.cryptocurrencies.list()).length > 1);
  const made = await manual.create({ name: 'Wallet', balance: '1.5', symbol: 'pi' });
  assert.match((await manual.update(made.id, { balance: '2' })).balance, /^2\.0+$/);
  assert.deepEqual(await manual.list(), [await manual.get(made.id)]);
  await manual.delete(made.id, { keep_history: false });
});

test('balance history', async () => {
  const { balanceHistory } = client;
  const own = { type: 'manual', id: account.id } as const;
  const months = { start_month: '2023-01', end_month: '2023-02' };
  const written = await balanceHistory.set(own, [
    { month: '2023-01', balance: 1 },
    { month: '2023-02', balance: '2.5' },
  ]);
  assert.equal(written.balances.length, 2);
  assert.deepEqual(await balanceHistory.get(own, months), [written]);
  assert.deepEqual(await balanceHistory.list(months), [written]);
  const [entry] = written.balances;
  assert.ok(entry !== undefined && 'id' in entry);
  await balanceHistory.deleteEntry(entry.id);
  await accounts.delete(account.id);
  const histories = await balanceHistory.list(months);
  const deleted = histories.map(({ source }) => source).find(({ type }) => type === 'deleted');
  assert.ok(deleted?.type === 'deleted');
  const id = deleted.deleted_account_id;
  assert.equal((await balanceHistory.updateDeleted(id, { name: 'Old' })).name, 'Old');
  await balanceHistory.delete({ type: 'deleted', id });
  const coin = { type: 'crypto_synced', id: 7, symbol: 'btc' } as const;
  const balances = [{ month: '2023-01', balance: 1, crypto_balance: '0.5' }];
  const ofCoin = await balanceHistory.set(coin, balances);
  assert.deepEqual(await balanceHistory.get(coin, months), [ofCoin]);
  await balanceHistory.delete(coin);
});

test('the user; then every operation of both documents has been used, and no other', async () => {
  assert.equal((await client.me()).name, 'ada');
  assert.deepEqual([...used].toSorted(), operations.map(({ id }) => id).toSorted());
});
