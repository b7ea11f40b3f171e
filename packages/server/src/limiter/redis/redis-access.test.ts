import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate, noOpenssl, tlsFlags, type Certificate } from '../testing/certificates.ts';
import { hitTimes } from '../testing/limiter-under-test.ts';
import { noRedis, startRedis } from '../testing/redis-server.ts';
import type { RedisServer, RedisServerOptions } from '../testing/redis-server.ts';
import { atOnce, share, watch } from '../testing/sharing.ts';

async function startFor(t: TestContext, options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedis(options);
  t.after(() => server.stop());
  return server;
}

/** Asserts that hits are shared exactly over this URL. */
async function assertShared(url: string): Promise<void> {
  const client = `somebody over ${url}`;
  const nodes = [(await share(url)).limiter, (await share(url)).limiter];
  const hits = await atOnce(150, (n) => nodes[n % 2]!.hit(client));
  for (const node of nodes) await node.close();
  assert.equal(hits.filter(({ allowed }) => allowed).length, 100);
}

/** Asserts that a limiter over this URL starts, counts locally, and reports the reason without secrets. */
async function assertAlone(url: string, reason: RegExp): Promise<void> {
  const { limiter, states } = watch(url);
  await limiter.open();
  assert.equal((await hitTimes(limiter, 'one', 101)).allowed, false);
  await limiter.close();
  assert.deepEqual(
    states.map(({ isShared }) => isShared),
    [false],
  );
  assert.match(states[0]!.reason, reason);
  assert.doesNotMatch(states[0]!.reason, /hunter|coffer/);
}

describe('a Redis with a password', { skip: noRedis }, () => {
  const password = 'p@ss/w%rd:hunter2';
  const start = (t: TestContext): Promise<RedisServer> =>
    startFor(t, {
      flags: ['--requirepass', password],
      clientFlags: ['-a', password, '--no-auth-warning'],
    });

  it('shares counts with nodes that have the password', async (t) => {
    const { port } = await start(t);
    await assertShared(`redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`);
  });

  it('reports a missing password', async (t) => {
    const { port } = await start(t);
    await assertAlone(`redis://127.0.0.1:${port}`, /^NOAUTH /);
  });

  it('reports a wrong password without quoting it', async (t) => {
    const { port } = await start(t);
    await assertAlone(`redis://:hunter3@127.0.0.1:${port}`, /^WRONGPASS /);
    await assertAlone(`redis://coffer:hunter3@127.0.0.1:${port}`, /^WRONGPASS /);
  });

  it('needs only the documented permissions of a user', async (t) => {
    const server = await start(t);
    const rights = ['~coffer:*', '+eval', '+evalsha', '+get', '+set', '+time'];
    await server.ask('ACL', 'SETUSER', 'coffer', 'on', '>hunter2', ...rights);
    await assertShared(`redis://coffer:hunter2@127.0.0.1:${server.port}`);
  });

  it('reports a user without permission', async (t) => {
    const server = await start(t);
    await server.ask('ACL', 'SETUSER', 'reader', 'on', '>hunter2', '~*', '+@read', '+evalsha');
    await assertAlone(`redis://reader:hunter2@127.0.0.1:${server.port}`, /^NOPERM /);
  });
});

describe('a Redis', { skip: noRedis }, () => {
  it('keeps the counts of its databases apart', async (t) => {
    const { port } = await startFor(t);
    const [one, two] = [
      (await share(`redis://127.0.0.1:${port}/1`)).limiter,
      (await share(`redis://127.0.0.1:${port}/2`)).limiter,
    ];
    assert.deepEqual([(await one.hit('a')).remaining, (await two.hit('a')).remaining], [99, 99]);
    await one.close();
    await two.close();
  });

  it('reports a selected database that does not exist', async (t) => {
    const { port } = await startFor(t);
    await assertAlone(`redis://127.0.0.1:${port}/99`, /^ERR .*out of range/);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  it('may have an IPv6 address', { skip: !hasIpv6 && 'missing: IPv6' }, async (t) => {
    const { port } = await startFor(t, { flags: ['--bind', '::1', '127.0.0.1'] });
    await assertShared(`redis://[::1]:${port}`);
  });
});

describe('a Redis with TLS', { skip: noRedis || noOpenssl }, () => {
  let folder: string;
  const trusted = getCACertificates('default');
  let certificate: Certificate;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'coffer-redis-tls-'));
    certificate = makeCertificate(folder, 'IP:127.0.0.1,DNS:localhost');
  });
  after(() => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (t: TestContext, subject?: string): Promise<RedisServer> => {
    if (subject !== undefined) certificate = makeCertificate(folder, subject);
    return startFor(t, { isTls: true, flags: tlsFlags(certificate) });
  };
  const trust = (...authorities: readonly string[]): void =>
    setDefaultCACertificates([...trusted, ...authorities]);

  it('shares counts when its authority is trusted, by address and by name', async (t) => {
    const { url, port } = await start(t);
    trust(certificate.authority);
    await assertShared(url);
    await assertShared(`rediss://localhost:${port}`);
  });

  it('is refused when its authority is not trusted', async (t) => {
    const { url } = await start(t);
    trust();
    await assertAlone(url, /certificate/);
  });

  it('is refused when its certificate is for another name', async (t) => {
    const { url } = await start(t, 'DNS:elsewhere.example');
    trust(certificate.authority);
    await assertAlone(url, /IP: 127\.0\.0\.1 is not in the cert's list/);
  });

  it('is not used over a redis URL, and a Redis without TLS is not used over a rediss URL', async (t) => {
    const [{ port }, plain] = [await start(t), await startFor(t)];
    await assertAlone(`redis://127.0.0.1:${port}`, /closed|ECONNRESET/);
    await assertAlone(
      `rediss://127.0.0.1:${plain.port}`,
      /wrong version number|closed|no reply|ETIMEDOUT/,
    );
  });
});
