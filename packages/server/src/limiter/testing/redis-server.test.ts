import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { freePort, startTogether } from '../../../../core/src/testing/starts.ts';
import { startRedisCluster } from './redis-cluster.ts';
import { noRedis, startRedis, type RedisServer } from './redis-server.ts';

describe('Redis servers for tests', { skip: noRedis }, () => {
  it('start on the next port when another program has the first one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ports = [port, await freePort()];
    const server = await startRedis({ nextPort: async () => ports.shift()! });
    try {
      assert.notEqual(server.port, port);
      assert.equal(await server.ask('PING'), 'PONG');
    } finally {
      await server.stop();
      other.close();
      await once(other, 'close');
    }
  });

  it('are all stopped when one of them fails to start', async () => {
    const started: RedisServer[] = [];
    const start = async (...flags: string[]): Promise<RedisServer> => {
      const server = await startRedis({ flags });
      started.push(server);
      return server;
    };
    await assert.rejects(startTogether(start(), start('--no-such-setting', 'x'), start()), /ended/);
    assert.equal(started.length, 2);
    for (const server of started) {
      assert.equal(existsSync(server.folder), false);
      await assert.rejects(server.ask('PING'), /refused/);
    }
  });

  it('leave no member of a cluster behind when the second of three fails to start', async () => {
    const ports: number[] = [];
    const nextPort = async (): Promise<number> => {
      const port = await freePort();
      if (ports.push(port) === 2) throw new Error('no second port');
      return port;
    };
    await assert.rejects(startRedisCluster({ nextPort }), /no second port/);
    assert.equal(ports.length, 3);
    const alone = await startRedis();
    try {
      for (const port of ports)
        await assert.rejects(alone.ask('-p', String(port), 'PING'), /refused/);
    } finally {
      await alone.stop();
    }
  });
});
