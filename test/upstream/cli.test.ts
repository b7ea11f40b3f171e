import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { addPlaidAccount } from '../../packages/server/src/operations/testing/outside-records.ts';
import {
  formWith,
  pngBytes,
} from '../../packages/server/src/operations/testing/special-requests.ts';
import { load, noClients, pathOf } from '../clients/load.ts';
import * as requests from '../service/json-requests.ts';
import { startService, type Service } from '../service/started-service.ts';
import { redirectFetch } from './redirected-fetch.ts';

/*
 * Every command of an unchanged command line client from npm. It knows only the vendor's host, so its requests are
 * redirected.
 */

type Output = Readonly<Record<string, unknown>>;

/** What is used of `@oclif/core`. */
interface Oclif {
  readonly Config: { load(of: { readonly root: string }): Promise<Config> };
}
interface Config {
  readonly commandIDs: readonly string[];
  runCommand(command: string, argv: readonly string[]): Promise<Output | undefined>;
}

describe('lunch-money-cli', { skip: noClients }, () => {
  let service: Service;
  let restoreFetch: () => void;
  let config: Config;
  let plaidId = 0;
  let recurringId = 0;
  const used = new Set<string>();

  before(async () => {
    service = await startService({ rateLimit: '100000/24h' });
    restoreFetch = redirectFetch(service.baseUrl);
    plaidId = await addPlaidAccount(service.engine, service.ada);
    recurringId = await requests.addRecurringItem(service, service.ada);
    const root = dirname(dirname(pathOf('lunch-money-cli')));
    const oclif = await load<Oclif>('@oclif/core');
    config = await oclif.Config.load({ root: join(root, 'package.json') });
  });
  after(async () => {
    restoreFetch();
    await service.close();
  });

  /** Runs a command. Returns what it prints with --json; a refusal has `status` and `details`. */
  async function lm(command: string, ...args: readonly (string | number)[]): Promise<Output> {
    used.add(command);
    const lines: string[] = [];
    const { log } = console;
    console.log = (text: string) => void lines.push(text);
    try {
      const argv = [...args.map(String), '--json', '--api-key', service.ada.token];
      const result = await config.runCommand(command, argv);
      return result ?? (JSON.parse(lines.join('\n')) as Output);
    } finally {
      console.log = log;
      process.exitCode = 0;
    }
  }

  function idOf(output: Output): number {
    assert.equal(typeof output['id'], 'number', JSON.stringify(output));
    return output['id'] as number;
  }

  test('it shows the user', async () => {
    assert.equal((await lm('user:me'))['email'], service.ada.email);
  });

  const account = ['--type', 'cash', '--balance', '10.5'];
  for (const [records, create, change, list] of [
    ['tags', [], ['--description', 'x'], []],
    ['categories', ['--is-income'], ['--description', 'x'], ['--flatten']],
    ['accounts', account, ['--display-name', 'x'], []],
  ] as const)
    test(`it creates, shows, changes, lists and deletes ${records}`, async () => {
      const id = idOf(await lm(`${records}:create`, '--name', 'By a command', ...create));
      assert.equal((await lm(`${records}:get`, id))['name'], 'By a command');
      assert.equal(idOf(await lm(`${records}:update`, id, ...change)), id);
      const [flag] = change;
      const property = flag.slice(2).replace('-', '_');
      assert.equal((await lm(`${records}:get`, id))[property], 'x');
      assert.ok(JSON.stringify(await lm(`${records}:list`, ...list)).includes('By a command'));
      await lm(`${records}:delete`, id, ...(records === 'categories' ? ['--force'] : []));
      assert.equal((await lm(`${records}:get`, id))['status'], 404);
    });

  test('it shows and fetches synced accounts', async () => {
    assert.equal(idOf(await lm('plaid-accounts:get', plaidId)), plaidId);
    assert.ok(JSON.stringify(await lm('plaid-accounts:list')).includes(`"id":${plaidId},`));
    assert.equal((await lm('plaid-accounts:sync'))['success'], true);
    assert.equal((await lm('plaid-accounts:sync'))['status'], 425);
  });

  test('it shows recurring items', async () => {
    assert.equal(idOf(await lm('recurring:get', recurringId)), recurringId);
    assert.ok(JSON.stringify(await lm('recurring:list')).includes(`"id":${recurringId},`));
  });

  test('it sets, shows and deletes budgets', async () => {
    const category = idOf(await lm('categories:create', '--name', 'Budgeted by a command'));
    const place = ['--category-id', category, '--start-date', '2026-01-01'];
    assert.equal((await lm('budgets:upsert', ...place, '--amount', '120'))['amount'], '120.0000');
    assert.equal((await lm('budgets:settings'))['budget_period_granularity'], 'month');
    const range = ['--start-date', '2026-01-01', '--end-date', '2026-01-31'];
    assert.equal((await lm('summary:get', ...range, '--include-totals'))['aligned'], true);
    assert.equal((await lm('budgets:delete', ...place))['success'], true);
    const wrong = ['--category-id', category, '--start-date', '2026-01-02', '--amount', '1'];
    assert.equal((await lm('budgets:upsert', ...wrong))['status'], 400);
  });

  test('it creates, shows, changes, groups, splits and deletes transactions', async () => {
    const row = { date: '2026-01-05', payee: 'By a command' };
    const rows = [1, 2, 3, 4].map((amount) => ({ ...row, amount }));
    const created = await lm('transactions:create', '--transactions', JSON.stringify(rows));
    const ids = (created['transactions'] as { id: number }[]).map(({ id }) => id);
    const [one, two, three, four] = ids as [number, number, number, number];
    assert.equal((await lm('transactions:get', one))['amount'], '1.0000');
    assert.equal((await lm('transactions:update', one, '--notes', 'x'))['notes'], 'x');
    const both = JSON.stringify([one, two].map((id) => ({ id, status: 'reviewed' })));
    await lm('transactions:update-many', '--transactions', both);
    assert.equal((await lm('transactions:get', two))['status'], 'reviewed');
    const data = JSON.stringify({ ids: [one, two], date: '2026-01-05', payee: 'Group' });
    const group = idOf(await lm('transactions:group', '--data', data));
    assert.equal((await lm('transactions:get', one))['group_parent_id'], group);
    assert.equal((await lm('transactions:ungroup', group))['ungrouped_id'], group);
    const parts = JSON.stringify([{ amount: 1 }, { amount: 2 }]);
    const split = await lm('transactions:split', three, '--parts', parts);
    assert.equal(split['is_split_parent'], true);
    assert.equal((await lm('transactions:unsplit', three))['unsplit_id'], three);
    const dates = ['--start-date', '2026-01-05', '--end-date', '2026-01-05', '--limit', 3];
    const { transactions, hasMore } = await lm('transactions:list', ...dates);
    assert.deepEqual([(transactions as unknown[]).length, hasMore], [3, true]);
    assert.equal((await lm('transactions:delete', four))['deleted_id'], four);
    await lm('transactions:delete-many', '--ids', `[${one},${two},${three}]`);
    assert.equal((await lm('transactions:get', one))['status'], 404);
    assert.equal((await lm('transactions:delete', one))['status'], 404);
  });

  test('it cannot attach a file, because it sends the name of the file in JSON', async () => {
    const { transactions } = await service.list('limit=1');
    const refused = await lm('transactions:attach-file', transactions[0]!.id, '--file', 'x.png');
    assert.equal(refused['status'], 415, JSON.stringify(refused));
  });

  test('it gets the address of a file, and deletes it', async () => {
    const { transactions } = await service.list('limit=1');
    const { type, bytes: body } = formWith('x').file;
    const headers = ['Content-Type', type];
    const path = `/v2/transactions/${transactions[0]!.id}/attachments`;
    const file = requests.idOf(await service.ask(path, { method: 'POST', headers, body }));
    const { url } = await lm('transactions:get-attachment-url', file);
    const shown = Buffer.from(await (await fetch(String(url))).arrayBuffer());
    assert.deepEqual(shown, pngBytes);
    assert.equal((await lm('transactions:delete-attachment', file))['deleted_file_id'], file);
    assert.equal((await lm('transactions:get-attachment-url', file))['status'], 404);
    assert.equal((await lm('transactions:delete-attachment', file))['status'], 404);
  });

  test('every command was used', () => {
    // Of oclif's own plugins, no command uses the API. preload.test.ts runs `auth`, which saves a token.
    const commands = config.commandIDs.filter((id) => !/^(plugins|help|auth)\b/.test(id));
    assert.deepEqual([...used].toSorted(), commands.toSorted());
  });
});
