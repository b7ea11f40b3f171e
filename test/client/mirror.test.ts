import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { firstCopy, follow, Mirror } from '../../packages/client/examples/mirror.ts';
import { createClient, type Client } from '../../packages/client/src/index.ts';
import { changing } from '../../packages/server/src/book/change.ts';
import { undo } from '../../packages/server/src/book/undo.ts';
import { makeTestApp, type TestApp } from '../../packages/server/src/http/testing/test-app.ts';

describe('the mirror of the examples', () => {
  let test: TestApp;
  let client: Client;
  before(async () => {
    test = await makeTestApp();
    await test.app.listen({ host: '127.0.0.1', port: 0 });
    const baseUrl = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`;
    client = createClient({ baseUrl, token: test.ada.token });
  });
  after(() => test.app.close());

  const caughtUp = async (mirror: Mirror | null): Promise<Mirror> => {
    const { position } = await client.coffer.changes({ after: 'latest' });
    const stop = new AbortController();
    const kept: { last?: Mirror } = {};
    const keep = (each: Mirror): void => {
      kept.last = each;
      if (each.position === position) stop.abort();
    };
    await assert.rejects(follow(client, mirror, keep, stop.signal), { name: 'AbortError' });
    return kept.last!;
  };

  it('stays equal over inserts, updates, deletes and an undo', async () => {
    const mirror = await caughtUp(null);
    assert.equal(Object.keys(mirror.records['transactions']!).length, 30);
    const tag = await client.tags.create({ name: 'a tag' });
    const group = await client.categories.create({ name: 'a group', is_group: true });
    await client.categories.create({ name: 'a member', group_id: group.id });
    const account = await client.accounts.create({ name: 'Cash', type: 'cash', balance: '10' });
    const rows = [1, 2, 3].map((amount) => ({ date: '2024-04-01', payee: 'New', amount }));
    const made = await client.transactions.create(
      rows.map((row) => ({ ...row, manual_account_id: account.id })),
    );
    await client.transactions.update(made.transactions[0]!.id, { tag_ids: [tag.id] });
    await client.transactions.deleteMany([made.transactions[1]!.id, 1001]);
    const { version } = (
      await client.coffer.changes({ after: mirror.position, limit: 1000 })
    ).changes.at(-1)!;
    const cause = { bookId: test.ada.identity.book.id, actor: 'command', operation: 'undo' };
    await test.engine.write(() =>
      changing({ ...cause, undoes: version }, (change) => undo(change, version)),
    );
    await client.tags.update(tag.id, { name: 'renamed' });
    const { records } = await caughtUp(mirror);
    assert.deepEqual(records, (await firstCopy(client)).records);
    assert.ok(records['transactions']!['1001']);
  });

  it('copies the records again when the changes no longer exist', async () => {
    const old = new Mirror(`${'a'.repeat(32)}.1.2.0.0`, { tags: { 99: { id: 99 } } });
    const { records } = await caughtUp(old);
    assert.deepEqual(records, (await firstCopy(client)).records);
  });
});
