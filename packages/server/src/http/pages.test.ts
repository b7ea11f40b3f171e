import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { assertBaseHeaders } from './testing/test-answers.ts';
import { makeTestApp, openapiBytes } from './testing/test-app.ts';

const { app } = await makeTestApp();

const get = (url: string, headers = {}) => app.inject({ url, headers });

const pages: [url: string, contentType: string][] = [
  ['/', 'text/html; charset=utf-8'],
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/coffer/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/scalar.js', 'text/javascript; charset=utf-8'],
  ['/favicon.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/svg+xml'],
];

test('pages are open to everybody, and not sent again to who has them', async () => {
  for (const [url, contentType] of pages) {
    const { statusCode, headers } = await get(url);
    assert.deepEqual([statusCode, headers['content-type']], [200, contentType], url);
    assertBaseHeaders({ statusCode, headers, body: '' });
    const again = await get(url, { 'if-none-match': headers.etag });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  }
});

test('the welcome page allows itself one style, by its hash, and nothing else', async () => {
  const { body, headers } = await get('/');
  const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? '';
  const policy = String(headers['content-security-policy']);
  assert.ok(policy.includes(`style-src 'sha256-${hash('sha256', style, 'base64')}'`));
  assert.ok(policy.startsWith("default-src 'none'"));
  assert.ok(!policy.includes('unsafe') && !policy.includes('script-src'));
  assert.ok(!/<script|style=|\son\w+=/.test(body));
});

test('the welcome page says the version and its own address, never that of a Host header', async () => {
  const { body } = await get('/', { host: 'evil.example"><script>' });
  const { info } = JSON.parse(openapiBytes.toString()) as { info: { version: string } };
  assert.ok(body.includes(`version ${info.version}`));
  assert.ok(!body.includes('evil') && !body.includes('{{'));
  assert.match(body, /http:\/\/[\d.]+:\d+\/v2\/transactions\?limit=5/);
});

test('no page names another host, but for the namespace of SVG', async () => {
  for (const url of ['/', '/docs', '/docs/start.js', '/favicon.svg']) {
    const { body } = await get(url);
    const hosts = body.match(/https?:\/\/[^/\s"'<]+/g) ?? [];
    const foreign = hosts.filter((host) => !/127\.0\.0\.1|www\.w3\.org/.test(host));
    assert.deepEqual(foreign, [], url);
  }
});

test('the reader runs only scripts of this server and talks to nobody else', async () => {
  const policy = String((await get('/docs')).headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /connect-src 'self'/);
  const { body } = await get('/docs/start.js');
  for (const setting of ['telemetry: false', 'withDefaultFonts: false', "DeveloperTools: 'never'"])
    assert.ok(body.includes(setting), setting);
});
