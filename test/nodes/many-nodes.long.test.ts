import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { ask } from '../service/ask.ts';
import { addOwner, useStore, type Owner } from '../service/owners.ts';
import { makeSyncedAccounts, type SyncedAccounts } from '../service/synced-accounts.ts';
import { makeModelBook, type ModelBook } from './model-book.ts';
import { killNodes, startNodes, startShared, until, type Node, type Shared } from './nodes.ts';
import { proxies, replaced, skipWithout, startNginx, withProxy, type Proxy } from './proxies.ts';
import { startTraffic, type Failure, type Traffic } from './traffic.ts';
import { newAddress } from '../service/http-exchange.ts';

const accountCount = 2;
const timeout = 300_000;
const skip = (postgresPrograms() === null && 'missing: postgres') || noRedis;

describe('two nodes behind a proxy with the configuration in deploy/', { skip, timeout }, () => {
  let shared: Shared;
  let book: ModelBook;
  let writer: Owner;
  let accounts: SyncedAccounts;
  let nodes: Node[] = [];
  const written = Array.from({ length: accountCount }, () => 0);

  before(async () => {
    shared = await startShared();
    book = await makeModelBook(shared.database, 300);
    writer = await useStore(shared.database, (engine) => addOwner(engine, 'writer'));
    accounts = await makeSyncedAccounts(shared.database, writer, accountCount);
    const flags = ['--rate-limit', '1000000', '--stop-delay', '1500ms'];
    nodes = await startNodes(shared, { flags, environment: accounts.environment });
  });
  after(async () => {
    await killNodes(nodes);
    await accounts.close();
    await shared.stop();
  });

  const trafficTo = ({ url }: Proxy): Traffic =>
    startTraffic({
      url,
      book,
      accounts,
      accountOwner: writer,
      accountCount,
      written,
      seed: 30,
      isFresh: true,
    });

  /** Stops a node under load and starts it again. Returns the failed requests, after a check of all others. */
  const stopUnderLoad = async (
    proxy: Proxy,
    prepare: () => void = () => undefined,
  ): Promise<readonly Failure[]> => {
    const [stopping] = nodes as [Node];
    const traffic = trafficTo(proxy);
    await until(() => traffic.reads() > 50 && traffic.writes() > 10, 'there is load');
    prepare();
    assert.equal(await stopping.end('SIGTERM'), 0);
    const [reads, writes] = [traffic.reads(), traffic.writes()];
    await until(() => traffic.reads() > reads + 50 && traffic.writes() > writes + 5, 'more');
    await stopping.start();
    await until(() => traffic.reads() > reads + 150, 'load continues');
    await traffic.stop();
    assert.deepEqual(traffic.wrong, []);
    const { lost, half } = await accounts.compare();
    assert.deepEqual({ lost, half }, { lost: 0, half: 0 });
    return traffic.failures;
  };

  const readBy = async ({ url }: Proxy): Promise<number> => {
    const { token } = book.owner;
    return (await ask(`${url}/v2/transactions?limit=1`, { token, from: newAddress() })).status;
  };
  const countAt = (proxy: Proxy, { port }: Node): number =>
    proxy.log().filter((line) => line.port === port).length;

  const untilUsed = async (proxy: Proxy, node: Node): Promise<void> => {
    const before = countAt(proxy, node);
    await until(async () => {
      assert.equal(await readBy(proxy), 200);
      return countAt(proxy, node) > before;
    }, 'the node gets requests');
  };

  for (const [name, startProxy] of Object.entries(proxies)) {
    describe(name, { skip: skipWithout(name) }, () => {
      test('a node that is stopped under load exits with 0, and no read fails', () =>
        withProxy(startProxy(nodes.map(({ port }) => port)), async (proxy) => {
          await until(async () => (await readBy(proxy)) === 200, 'the proxy finds a node');
          const failures = await stopUnderLoad(proxy);
          // nginx does not check nodes, so a write may arrive while the node closes its last connection.
          const lost = failures.filter(({ method }) => name === 'haproxy' || method === 'GET');
          assert.deepEqual(lost, []);
        }));
    });
  }

  test(
    'nginx loses no request when the node is marked as down before it stops',
    { skip: skipWithout('nginx') },
    async () => {
      const [stopping] = nodes as [Node];
      const usual = `127.0.0.1:${stopping.port} max_fails`;
      const down = `127.0.0.1:${stopping.port} down max_fails`;
      await withProxy(startNginx(nodes.map(({ port }) => port)), async (proxy) => {
        const failures = await stopUnderLoad(proxy, () =>
          proxy.reload((text) => replaced(text, { [usual]: down })),
        );
        assert.deepEqual(failures, []);
        proxy.reload((text) => replaced(text, { [down]: usual }));
        await untilUsed(proxy, stopping);
      });
    },
  );

  test(
    'HAProxy sends nothing new to a node that is not ready and still serves',
    { skip: skipWithout('haproxy') },
    async () => {
      const [stopping] = nodes as [Node];
      const { token } = book.owner;
      const statusOf = async (path: string): Promise<number> =>
        (await ask(stopping.url + path, { token, from: newAddress() })).status;
      await withProxy(proxies.haproxy(nodes.map(({ port }) => port)), async (proxy) => {
        await untilUsed(proxy, stopping);
        const ended = stopping.end('SIGTERM');
        await until(async () => (await statusOf('/readyz')) === 503, 'the node is not ready');
        // HAProxy checks every half second.
        await until(async () => {
          const before = countAt(proxy, stopping);
          for (let n = 0; n < 10; n += 1) assert.equal(await readBy(proxy), 200);
          return countAt(proxy, stopping) === before;
        }, 'the node is left out');
        assert.equal(await statusOf('/v2/me'), 200, 'the node still serves');
        assert.equal(await ended, 0);
        await stopping.start();
      });
    },
  );
});
