import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { newFolder } from '../db/testing/folder.ts';
import { parsePublicUrl } from './client.ts';
import { makeTestApp } from './testing/test-app.ts';
import { findWebBundle } from './web-pages.ts';

const root = newFolder();

/** A bundle as the bundler writes it. */
function plant(name: string, files: Readonly<Record<string, string | Uint8Array>>): URL {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(root, name, file, '..'), { recursive: true });
    writeFileSync(join(root, name, file), content);
  }
  return pathToFileURL(`${join(root, name)}/`);
}

/** What a browser sends when it opens a page. */
const asPage = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const script = 'export const a = 1;\n'.repeat(100);
/** Other bytes than the server would make. */
const gzipped = gzipSync(script, { level: 2 });
const folder = plant('dist', {
  'web.json': '{"paths":["/","/start","/transactions"]}',
  'index.html': '<!doctype html><script type="module" src="{{base}}/assets/main-A1.js"></script>',
  'worker.js': 'addEventListener("fetch", () => {})',
  'manifest.webmanifest': '{"start_url":"{{base}}/"}',
  'assets/main-A1.js': script,
  'assets/main-A1.js.gz': gzipped,
  'assets/style-B2.css': 'a{}',
  'assets/notes.txt': 'secret',
  'other.js': 'outside of assets',
});
const web = findWebBundle([new URL('missing/', folder), folder]);

describe('with a bundle', async () => {
  const { app } = await makeTestApp({ web });
  const get = (url: string, headers = {}) => app.inject({ url, headers });

  test('a page is given to a browser, and is checked at each visit', async () => {
    for (const path of ['/', '/start', '/transactions', '/transactions/12', '/transactions?q=a']) {
      const { statusCode, headers, body } = await get(path, asPage);
      assert.equal(statusCode, 200, path);
      assert.match(body, /src="\/assets\/main-A1\.js"/);
      assert.equal(headers.vary, 'Accept-Encoding, Accept');
      assert.equal(headers['cache-control'], 'no-cache');
      const again = await get(path, { ...asPage, 'if-none-match': headers.etag });
      assert.equal(again.statusCode, 304);
    }
  });

  test('it stays unknown to a client of the API', async () => {
    for (const path of ['/start', '/transactions', '/transactions/12', '/transactions?limit=5'])
      for (const accept of [undefined, '', '*/*', 'application/json', 'text/*']) {
        const { statusCode, headers } = await get(path, accept === undefined ? {} : { accept });
        assert.equal(statusCode, 404, `${path} ${accept}`);
        assert.equal(headers['content-type'], 'application/json; charset=utf-8');
        assert.equal(headers.vary, 'Accept-Encoding, Accept');
      }
  });

  test('the policy allows only scripts, styles and requests of this server', async () => {
    const { headers } = await get('/');
    const policy = String(headers['content-security-policy']);
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types coffer-worker',
    ]);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  test('the service worker and the manifest are checked at each visit', async () => {
    const worker = await get('/worker.js');
    assert.match(String(worker.headers['content-type']), /^text\/javascript/);
    assert.equal(
      worker.headers['content-security-policy'],
      "default-src 'none'; connect-src 'self'",
    );
    const manifest = await get('/manifest.webmanifest');
    assert.equal(manifest.headers['content-type'], 'application/manifest+json');
    assert.equal(manifest.body, '{"start_url":"/"}');
    for (const { headers } of [worker, manifest])
      assert.equal(headers['cache-control'], 'no-cache');
  });

  test('a file is kept for ever, and is sent compressed to whoever accepts that', async () => {
    const plain = await get('/assets/main-A1.js');
    assert.equal(plain.body, script);
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.match(String(plain.headers['cache-control']), /immutable/);
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    const small = await get('/assets/main-A1.js', { 'accept-encoding': 'br;q=0.4, gzip;q=0.5' });
    assert.equal(small.headers['content-encoding'], 'gzip');
    assert.deepEqual(small.rawPayload, gzipped);
    const better = await get('/assets/main-A1.js', { 'accept-encoding': 'gzip, br' });
    assert.equal(better.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(better.rawPayload).toString(), script);
    const refused = await get('/assets/main-A1.js', { 'accept-encoding': 'gzip;q=0' });
    assert.equal(refused.headers['content-encoding'], undefined);
    for (const { headers } of [small, better, refused])
      assert.equal(headers.etag, plain.headers.etag);
    for (const coding of ['identity', 'gzip', 'br']) {
      const known = { 'if-none-match': small.headers.etag, 'accept-encoding': coding };
      const again = await get('/assets/main-A1.js', known);
      assert.deepEqual([again.statusCode, again.headers.vary], [304, 'Accept-Encoding']);
    }
    const sheet = await get('/assets/style-B2.css', { 'accept-encoding': 'gzip' });
    assert.deepEqual([sheet.body, sheet.headers['content-encoding']], ['a{}', undefined]);
  });

  test('other paths stay unknown', async () => {
    for (const path of [
      '/nothing',
      '/assets/',
      '/assets/other.js',
      '/assets/notes.txt',
      '/assets/main-A1.js.gz',
      '/assets/..%2fother.js',
      '/assets/%2e%2e/other.js',
      '/transactionsx',
      '/docs/nothing',
    ])
      assert.equal((await get(path, asPage)).statusCode, 404, path);
    for (const path of ['/v2/nothing', '/v1/nothing', '/coffer/nothing'])
      assert.equal((await get(path, asPage)).statusCode, 401, path);
  });
});

test('below a base path the page names its files there', async () => {
  const publicUrl = parsePublicUrl('https://host.example/money/');
  const { app } = await makeTestApp({ web, publicUrl });
  const headers = { host: 'host.example', ...asPage };
  const { body } = await app.inject({ url: '/money/transactions', headers });
  assert.match(body, /src="\/money\/assets\/main-A1\.js"/);
  assert.equal((await app.inject({ url: '/money/assets/main-A1.js', headers })).statusCode, 200);
  const manifest = await app.inject({ url: '/money/manifest.webmanifest', headers });
  assert.equal(manifest.body, '{"start_url":"/money/"}');
});

test('beside origins that may read, a page names both headers on which it depends', async () => {
  const { app } = await makeTestApp({ web, corsOrigins: ['https://app.example'] });
  const page = await app.inject({ url: '/transactions', headers: asPage });
  assert.equal(page.headers.vary, 'Accept-Encoding, Origin, Accept');
  const file = await app.inject({ url: '/assets/main-A1.js' });
  assert.equal(file.headers.vary, 'Accept-Encoding, Origin');
});

test('without the UI the welcome page is at the root, and pages are unknown', async () => {
  const { app } = await makeTestApp({ web: null });
  const { body } = await app.inject({ url: '/' });
  assert.match(body, /A first request/);
  assert.doesNotMatch(body, /no browser UI|\{\{/);
  assert.equal((await app.inject({ url: '/transactions', headers: asPage })).statusCode, 404);
});

test('if bundling failed, the welcome page gives the reason as text', async () => {
  const failed = findWebBundle([plant('failed', { 'problem.txt': 'No <loader> for "x.tsx"' })]);
  const { app } = await makeTestApp({ web: failed });
  const { body, headers } = await app.inject({ url: '/' });
  assert.match(body, /There is no browser UI:<\/strong> No &#60;loader&#62; for &#34;x\.tsx&#34;/);
  assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
  assert.match((findWebBundle([]) as { problem: string }).problem, /run npm start/);
});
