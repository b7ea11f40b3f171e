import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noRedis } from '../../packages/server/src/limiter/testing/redis-server.ts';
import { postgresPrograms } from '../../packages/server/src/db/testing/postgres-server.ts';
import { ask } from '../service/ask.ts';
import { addOwner, useStore, type Owner } from '../service/owners.ts';
import { makeSyncedAccounts, type SyncedAccounts } from '../service/synced-accounts.ts';
import { makeModelBook, type ModelBook } from './model-book.ts';
import { killNodes, startNodes, startShared, until, type Node, type Shared } from './nodes.ts';
import { proxies, replaced, skipWithout, startNginx, type Proxy } from './proxies.ts';
import { startTraffic, type Failure, type Traffic } from './traffic.ts';
import { newAddress } from '../service/http-exchange.ts';

const accountCount = 2;
const timeout = 300_000;
const skip = (postgresPrograms() === null && 'missing: postgres') || noRedis;

/**
 * Returns what requests resolve to, sent again if a node has counted locally in the meantime: on a busy machine Redis
 * may take longer than a node waits.
 */
async function whileShared<T>(nodes: readonly Node[], send: () => Promise<T>): Promise<T> {
  const [shared, alone] = ['is shared over Redis', 'is counted by this node alone'];
  const timesAlone = (): string => nodes.map((node) => node.log().split(alone).length).join();
  for (;;) {
    const areShared = () =>
      nodes.every((node) => node.log().lastIndexOf(shared) > node.log().lastIndexOf(alone));
    await until(areShared, 'counts are shared');
    const before = timesAlone();
    const result = await send();
    if (timesAlone() === before) return result;
  }
}

describe('two nodes behind a proxy with the configuration in deploy/', { skip, timeout }, () => {
  let shared: Shared;
  let book: ModelBook;
  let writer: Owner;
  let accounts: SyncedAccounts;
  let nodes: Node[] = [];
  let limited: Node[] = [];
  const written = Array.from({ length: accountCount }, () => 0);

  before(async () => {
    shared = await startShared();
    book = await makeModelBook(shared.database, 300);
    writer = await useStore(shared.database, (engine) => addOwner(engine, 'writer'));
    accounts = await makeSyncedAccounts(shared.database, writer, accountCount);
    const flags = ['--rate-limit', '1000000', '--stop-delay', '1500ms'];
    nodes = await startNodes(shared, { flags, environment: accounts.environment });
    limited = await startNodes(shared);
  });
  after(async () => {
    await killNodes([...nodes, ...limited]);
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
      const withProxy = async (
        over: readonly Node[],
        body: (proxy: Proxy) => Promise<void>,
      ): Promise<void> => {
        const proxy = await startProxy(over.map(({ port }) => port));
        try {
          await until(async () => (await readBy(proxy)) === 200, 'the proxy finds a node');
          await body(proxy);
        } finally {
          await proxy.stop();
        }
      };

      test('an address has 100 requests over both nodes, whatever X-Forwarded-For it sends', () =>
        withProxy(limited, async (proxy) => {
          const { token } = book.owner;
          const statuses = await whileShared(limited, async () => {
            const from = newAddress();
            const asked = Array.from({ length: 130 }, (_, n) => {
              const forged = `198.51.100.${n}, 203.0.113.7`;
              const names = { 'x-forwarded-for': forged, 'x-real-ip': forged };
              const headers = { ...names, forwarded: 'for=_x' };
              return ask(`${proxy.url}/v2/me`, { token, from, headers });
            });
            return (await Promise.all(asked)).map(({ status }) => status);
          });
          assert.equal(statuses.filter((status) => status === 200).length, 100);
          assert.equal(statuses.filter((status) => status === 429).length, 30);
          const other = await ask(`${proxy.url}/v2/me`, { token, from: newAddress() });
          assert.equal(other.status, 200, 'another address has its own limit');
          await until(() => countAt(proxy, limited[0]!) + countAt(proxy, limited[1]!) > 130, 'all');
          for (const node of limited)
            assert.ok(countAt(proxy, node) > 40, 'each node gets requests');
        }));

      test('a node that is stopped under load exits with 0, and no read fails', () =>
        withProxy(nodes, async (proxy) => {
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
      const proxy = await startNginx(nodes.map(({ port }) => port));
      const [stopping] = nodes as [Node];
      const usual = `127.0.0.1:${stopping.port} max_fails`;
      const down = `127.0.0.1:${stopping.port} down max_fails`;
      try {
        const failures = await stopUnderLoad(proxy, () =>
          proxy.reload((text) => replaced(text, { [usual]: down })),
        );
        assert.deepEqual(failures, []);
        proxy.reload((text) => replaced(text, { [down]: usual }));
        await untilUsed(proxy, stopping);
      } finally {
        await proxy.stop();
      }
    },
  );

  test(
    'HAProxy sends nothing new to a node that is not ready and still serves',
    { skip: skipWithout('haproxy') },
    async () => {
      const proxy = await proxies.haproxy(nodes.map(({ port }) => port));
      const [stopping] = nodes as [Node];
      const { token } = book.owner;
      const statusOf = async (path: string): Promise<number> =>
        (await ask(stopping.url + path, { token, from: newAddress() })).status;
      try {
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
      } finally {
        await proxy.stop();
      }
    },
  );
});
