import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newFolder } from '../db/testing/folder.ts';
import { makeCertificate, noOpenssl, tlsFlags } from './testing/certificates.ts';
import { noRedis, startRedis, type RedisServer } from './testing/redis-server.ts';
import { atOnce, hitTimes, share, watch } from './testing/sharing.ts';

async function assertShared(url: string): Promise<void> {
  const client = `somebody over ${url}`;
  const nodes = [(await share(url)).limiter, (await share(url)).limiter];
  const hits = await atOnce(150, (n) => nodes[n % 2]!.hit(client));
  for (const node of nodes) await node.close();
  assert.equal(hits.filter(({ allowed }) => allowed).length, 100, url);
}

async function assertAlone(url: string, reason: RegExp): Promise<void> {
  const { limiter, states } = watch(url);
  await limiter.open();
  assert.equal((await hitTimes(limiter, 'one', 101)).allowed, false);
  await limiter.close();
  assert.deepEqual([states.length, states[0]?.isShared], [1, false], url);
  assert.match(states[0]!.reason, reason);
  assert.doesNotMatch(states[0]!.reason, /hunter|coffer/);
}

describe('a Redis with a password', { skip: noRedis }, () => {
  const password = 'p@ss/w%rd:hunter2';
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  let server: RedisServer;
  before(async () => {
    const bound = hasIpv6 ? ['--bind', '::1', '127.0.0.1'] : [];
    server = await startRedis({
      flags: ['--requirepass', password, ...bound],
      clientFlags: ['-a', password, '--no-auth-warning'],
    });
    const rights = ['~coffer:*', '+eval', '+evalsha', '+get', '+set', '+time'];
    await server.ask('ACL', 'SETUSER', 'coffer', 'on', '>hunter2', ...rights);
    await server.ask('ACL', 'SETUSER', 'reader', 'on', '>hunter2', '~*', '+@read');
  });
  after(() => server.stop());
  const own = `:${encodeURIComponent(password)}@`;

  it('shares counts with nodes that have the password, or a user with the documented permissions', async () => {
    await assertShared(`redis://${own}127.0.0.1:${server.port}`);
    await assertShared(`redis://coffer:hunter2@127.0.0.1:${server.port}`);
  });

  it('may have an IPv6 address', { skip: !hasIpv6 && 'missing: IPv6' }, async () => {
    await assertShared(`redis://${own}[::1]:${server.port}`);
  });

  for (const [user, database, reason] of [
    ['', '', /^NOAUTH /],
    [':hunter3@', '', /^WRONGPASS /],
    ['coffer:hunter3@', '', /^WRONGPASS /],
    ['reader:hunter2@', '', /^NOPERM /],
    [own, '/99', /^ERR .*out of range/],
  ] as const)
    it(`gives a node the reason ${reason.source}, for redis://${user}…${database}`, () =>
      assertAlone(`redis://${user}127.0.0.1:${server.port}${database}`, reason));
});

describe('a Redis with TLS', { skip: noRedis || noOpenssl }, () => {
  const folder = newFolder();
  const trusted = getCACertificates('default');
  let server: RedisServer;
  let other: RedisServer | undefined;
  before(async () => {
    const certificate = makeCertificate(folder, 'IP:127.0.0.1,DNS:localhost');
    server = await startRedis({ isTls: true, flags: tlsFlags(certificate) });
    setDefaultCACertificates([...trusted, certificate.authority]);
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    await server.stop();
    await other?.stop();
  });

  it('shares counts when its authority is trusted, by address and by name', async () => {
    await assertShared(server.url);
    await assertShared(`rediss://localhost:${server.port}`);
  });

  it('is not used over a redis URL, and a Redis without TLS is not used over a rediss URL', async (t) => {
    await assertAlone(`redis://127.0.0.1:${server.port}`, /closed|ECONNRESET/);
    const plain = await startRedis();
    t.after(() => plain.stop());
    const reason = /wrong version number|closed|no reply|ETIMEDOUT/;
    await assertAlone(`rediss://127.0.0.1:${plain.port}`, reason);
  });

  it('is refused when its certificate is for another name, or its authority is not trusted', async () => {
    const certificate = makeCertificate(folder, 'DNS:elsewhere.example');
    other = await startRedis({ isTls: true, flags: tlsFlags(certificate) });
    await assertAlone(other.url, /certificate/);
    setDefaultCACertificates([...trusted, certificate.authority]);
    await assertAlone(other.url, /IP: 127\.0\.0\.1 is not in the cert's list/);
  });
});
