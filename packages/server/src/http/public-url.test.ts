import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertErrorFormat } from './testing/test-answers.ts';
import { parsePublicUrl } from './client.ts';
import { as, listen, makeTestApp } from './testing/test-app.ts';
import { exchange } from './testing/test-connection.ts';

describe('behind a proxy with a path', async () => {
  const publicUrl = parsePublicUrl('https://books.example:8443/coffer/');
  const { app, ada, hits } = await makeTestApp({ publicUrl });
  const host = 'books.example:8443';
  const get = (url: string, headers: object = { host }) =>
    app.inject({ url, headers: { ...as(ada), ...headers } });

  test('every path begins with the path of the public URL', async () => {
    for (const path of ['/', '', '/docs', '/docs/', '/docs/start.js', '/openapi.json', '/v2/me'])
      assert.equal((await get(`/coffer${path}`)).statusCode, 200, path);
    assert.equal((await get('/coffer?x=1')).statusCode, 200);
    assert.equal((await get('/coffer/coffer/v2/me')).statusCode, 404);
    assert.equal((await get('/coffer/v2/transactions/coffer')).statusCode, 400);
    assert.match((await get('/coffer/v2/transactions?limit=1')).body, /^\{"transactions":\[\{"id"/);
    const others = ['/coffers/v2/me', '/coffer%2Fv2/me', '/x/coffer/v2/me'];
    for (const path of ['/v2/me', '/', '/docs', ...others]) {
      const before = hits();
      const response = await get(path);
      assert.equal(response.statusCode, 404, path);
      assertErrorFormat(response);
      assert.equal(hits(), before, path);
    }
  });

  test('a malformed path below it counts and is 400, elsewhere it is 404', async () => {
    const before = hits();
    assert.equal((await get('/coffer/v2/%zz')).statusCode, 400);
    assert.equal(hits(), before + 1);
    assert.equal((await get('/v2/%zz')).statusCode, 404);
  });

  test('a target with an authority is the same path', async () => {
    const port = await listen(app);
    const target = `http://${host}/coffer/openapi.json`;
    const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    assert.match(await exchange(port, request), /^HTTP\/1\.1 200 OK/);
  });

  test('health checks and scrapes reach a node directly, under any name', async () => {
    for (const path of ['/healthz', '/readyz'])
      for (const prefix of ['', '/coffer'])
        assert.equal((await get(prefix + path, { host: 'node1:8080' })).statusCode, 200, path);
  });

  test('pages link below it and show the public URL', async () => {
    for (const path of ['/coffer', '/coffer/docs']) {
      const { body } = await get(path);
      const links = [...body.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
      assert.ok(links.length >= 3);
      for (const link of links) assert.match(String(link), /^\/coffer\//);
    }
    assert.ok((await get('/coffer/')).body.includes('"https://books.example:8443/coffer/v2/'));
    const document = (await get('/coffer/openapi.json')).json<{ servers: unknown }>();
    assert.deepEqual(document.servers, [{ url: 'https://books.example:8443/coffer' }]);
  });

  test('a Host that is neither the public one nor an address is refused with 400, and counts', async () => {
    for (const accepted of [host, 'BOOKS.example', '127.0.0.1:8080', '[::1]', 'localhost:1'])
      assert.equal((await get('/coffer/v2/me', { host: accepted })).statusCode, 200, accepted);
    for (const foreign of ['evil.example', 'books.example:8443.evil.example', '1.evil']) {
      for (const path of ['/coffer/v2/me', '/coffer/', '/coffer/docs']) {
        const { statusCode, body } = await get(path, { host: foreign });
        assert.equal(statusCode, 400, `${foreign} ${path}`);
        assert.ok(body.includes(`The Host \\"${foreign}\\" does not belong`), body);
      }
    }
    const before = hits();
    await get('/coffer/v2/me', { host: 'evil.example' });
    assert.equal(hits(), before + 1);
  });
});

test('a public URL without a path changes no path', async () => {
  const { app, ada } = await makeTestApp({ publicUrl: parsePublicUrl('https://books.example') });
  const headers = { ...as(ada), host: 'books.example' };
  assert.equal((await app.inject({ url: '/v2/me', headers })).statusCode, 200);
  assert.ok((await app.inject({ url: '/', headers })).body.includes('"https://books.example/v2/'));
});

test('the setting takes an http or https URL with a plain path', () => {
  assert.equal(parsePublicUrl(''), null);
  assert.deepEqual(parsePublicUrl('http://Books.example:80/a/b.c/'), {
    href: 'http://books.example/a/b.c',
    hostname: 'books.example',
    basePath: '/a/b.c',
  });
  for (const text of ['books.example', 'ftp://a', 'https://u:p@a/', 'https://a/?x', 'https://a/#x'])
    assert.throws(() => parsePublicUrl(text), /Not a public URL: ".*" ?/, text);
  for (const text of ['https://a/%20', 'https://a//b', 'https://a/ü'])
    assert.throws(() => parsePublicUrl(text), /may have letters, digits/, text);
});
