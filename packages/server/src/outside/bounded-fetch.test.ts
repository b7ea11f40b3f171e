import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newFolder } from '../db/testing/folder.ts';
import { makeCertificate, noOpenssl } from '../limiter/testing/certificates.ts';
import { startProviderServer, type ProviderServer } from '../sync/testing/provider-server.ts';
import { boundedFetch, maxResponseBytes, urlBelow } from './bounded-fetch.ts';
import { isPrivateHost } from './guarded-request.ts';

const request = { who: 'Somebody', method: 'GET' } as const;
const signal = () => AbortSignal.timeout(20_000);

describe('a bounded fetch', () => {
  let server: ProviderServer;
  before(async () => {
    server = await startProviderServer(() => ({ status: 200, text: 'right' }));
  });
  after(() => server.close());

  const fetched = () => boundedFetch({ ...request, url: new URL(server.url), signal: signal() });

  it('reads a body of 1 MiB, and refuses a body that is one byte larger', async () => {
    await server.fail({ text: 'a'.repeat(maxResponseBytes) });
    assert.equal((await fetched()).length, 1024 * 1024);
    await server.fail({ text: 'a'.repeat(maxResponseBytes + 1) });
    await assert.rejects(fetched(), { reason: 'nonsense' });
    await server.fail(null);
  });

  it('stops reading at the limit, so that an endless body uses no more memory', async () => {
    await server.fail('endless');
    const grownFrom = process.memoryUsage().external;
    for (let n = 0; n < 5; n += 1) await assert.rejects(fetched(), { reason: 'nonsense' });
    assert.ok(process.memoryUsage().external - grownFrom < 64 * 1024 * 1024);
    await server.fail(null);
  });

  it('opens a new connection for each request, and accepts no compression', async () => {
    await fetched();
    const { headers } = server.calls.at(-1)!;
    const found = ['connection', 'accept-encoding', 'user-agent'].map((name) => headers[name]);
    assert.deepEqual(found, ['close', 'identity', 'coffer']);
  });

  it('sends all bytes of a body that is not ASCII', async () => {
    const url = new URL(server.url);
    await boundedFetch({ ...request, method: 'POST', body: 'é€😀', url, signal: signal() });
    assert.equal(server.calls.at(-1)?.body, 'é€😀');
  });
});

describe('a bounded fetch over TLS', { skip: noOpenssl }, () => {
  const trusted = getCACertificates('default');
  const server = createTlsServer((_request, response) => void response.end('right'));
  let url: URL;
  let authority: string;

  before(async () => {
    const { keyFile, certificateFile, ...made } = makeCertificate(newFolder(), 'DNS:localhost');
    ({ authority } = made);
    server.setSecureContext({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`https://localhost:${(server.address() as AddressInfo).port}`);
  });
  after(() => {
    setDefaultCACertificates(trusted);
    server.close();
  });

  const fetched = () => boundedFetch({ ...request, url, signal: signal() });

  it('reads only from a server whose certificate is trusted', async () => {
    await assert.rejects(fetched(), { reason: 'unreachable', message: /UNABLE_TO_VERIFY/ });
    setDefaultCACertificates([...trusted, authority]);
    assert.equal(await fetched(), 'right');
  });
});

describe('a URL below a base', () => {
  it('keeps the path and the query of the base', () => {
    for (const [base, expected] of [
      ['https://a.example', 'https://a.example/x/y'],
      ['https://a.example/', 'https://a.example/x/y'],
      ['http://127.0.0.1:8545/v3/key//?k=1', 'http://127.0.0.1:8545/v3/key/x/y?k=1'],
    ] as const)
      assert.equal(urlBelow('Somebody', base, '/x/y').href, expected);
  });

  it('is refused for a base that is not http or https, without quoting it', () => {
    const refused = { reason: 'unconfigured', message: 'Somebody has no http or https URL' };
    for (const base of ['', 'canary', 'ftp://canary', 'data:canary', '//canary'])
      assert.throws(() => urlBelow('Somebody', base, '/'), refused);
  });
});

const privateHosts =
  '127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.0.0.1. 0.0.0.0 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 ' +
  '100.64.0.1 [::1] [::] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [fd00::1] [fe80::1] [64:ff9b::7f00:1] ' +
  '[64:ff9b:1::7f00:1] [2002:7f00:1::] [::127.0.0.1] [fec0::1] [ff02::1] [2001::1] localhost a.localhost ' +
  'LOCALHOST. printer.local metadata.google.internal db';
const publicHosts =
  '8.8.8.8 172.32.0.1 192.169.0.1 100.128.0.1 [2606:4700::1111] [::ffff:8.8.8.8] [2a00:1450::1] ' +
  'bridge.simplefin.org localhost.example.com local.example';

it('private addresses are detected in every spelling, and public ones are not', () => {
  const isPrivate = (host: string): boolean => isPrivateHost(new URL(`http://${host}/`).hostname);
  for (const host of privateHosts.split(' ')) assert.ok(isPrivate(host), host);
  for (const host of publicHosts.split(' ')) assert.ok(!isPrivate(host), host);
});
