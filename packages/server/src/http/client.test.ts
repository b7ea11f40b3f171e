import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTrustedProxies } from '../limiter/address.ts';
import { Browser } from '../identity/sessions/testing/browser.ts';
import { parsePublicUrl, parseHostNames } from './client.ts';
import { as, makeTestApp } from './testing/test-app.ts';

const test = await makeTestApp({ hostNames: parseHostNames('Coffer.lan') });
const { app, engine, ada, ben } = test;
const { book } = ada.identity;

async function browserOf(host?: string): Promise<Browser> {
  const browser = new Browser(app, host);
  assert.equal((await browser.signIn(engine, book)).status, 201);
  return browser;
}

describe('a cookie', () => {
  it('is for one port', async () => {
    const browser = await browserOf('localhost:8080');
    const other = new Browser(app, 'localhost:9090');
    other.cookie = browser.cookie;
    assert.equal((await other.send('GET', '/v2/me')).status, 401);
  });

  it('that is sent twice, or is damaged, is none', async () => {
    const browser = await browserOf();
    const { cookie } = browser;
    for (const sent of [`${cookie}; ${cookie}`, `${cookie}A`, `${cookie?.slice(0, -1)}`, 'x', '']) {
      browser.cookie = sent;
      assert.equal((await browser.send('GET', '/v2/me')).status, 401, sent);
    }
    browser.cookie = `a=b; ${cookie}; c="d;e"`;
    assert.equal((await browser.send('GET', '/v2/me')).status, 200);
  });

  it('does not count beside an access token', async () => {
    const browser = await browserOf();
    const headers = { ...as(ben), 'sec-fetch-site': 'cross-site' };
    const { body } = await browser.send<{ id: number }>('GET', '/v2/me', undefined, headers);
    assert.equal(body.id, ben.identity.user.id);
    const wrong = { authorization: 'Bearer x' };
    assert.equal((await browser.send('GET', '/v2/me', undefined, wrong)).status, 401);
  });
});

describe('over https', () => {
  const secure = /^__Host-coffer_(\d+)=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/;

  it('by the public URL, the cookie is Secure and has __Host-', async () => {
    const publicUrl = parsePublicUrl('https://money.example/');
    const made = await makeTestApp({ publicUrl });
    for (const [host, port] of [
      ['money.example', '443'],
      ['127.0.0.1:8080', '8080'],
    ] as const) {
      const browser = new Browser(made.app, host, { origin: 'https://money.example' });
      const { headers, status } = await browser.signIn(made.engine, made.ada.identity.book);
      assert.equal(status, 201);
      assert.equal(secure.exec(String(headers['set-cookie']))?.[1], port);
      assert.equal((await browser.send('GET', '/v2/me')).status, 200);
    }
  });

  it('by a trusted proxy only, the cookie is Secure', async () => {
    const header = { 'x-forwarded-proto': 'https' };
    const cookieOf = async (trusted: string) => {
      const made = await makeTestApp({ trustedProxies: parseTrustedProxies(trusted) });
      const browser = new Browser(made.app, 'localhost', header);
      const { headers } = await browser.signIn(made.engine, made.ada.identity.book);
      return String(headers['set-cookie']);
    };
    assert.match(await cookieOf('127.0.0.1'), secure);
    assert.match(await cookieOf(''), /^coffer_80=/);
  });
});

describe('a write with a cookie', () => {
  const none = { 'sec-fetch-site': undefined };
  it('is accepted only from the page of the service', async () => {
    const browser = await browserOf();
    for (const [what, headers, status] of [
      ['from the same origin', {}, 201],
      ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
      ['from a neighbour in the domain', { 'sec-fetch-site': 'same-site' }, 403],
      ['from an address bar', { 'sec-fetch-site': 'none' }, 403],
      ['from an old browser', { ...none, origin: 'http://localhost:8080' }, 201],
      ['from another origin', { ...none, origin: 'http://evil.example' }, 403],
      ['from another port', { ...none, origin: 'http://localhost:9090' }, 403],
      ['from an opaque origin', { ...none, origin: 'null' }, 403],
      ['from nowhere', none, 403],
      ['with the type of a form', { 'content-type': 'text/plain' }, 403],
      ['with no type', { 'content-type': undefined }, 403],
    ] as const) {
      const answer = await browser.send('POST', '/v2/tags', { name: what }, headers);
      assert.equal(answer.status, status, what);
      const { body: list } = await browser.send<{ tags: { name: string }[] }>('GET', '/v2/tags');
      const isWritten = list.tags.some(({ name }) => name === what);
      assert.equal(isWritten, status === 201, what);
    }
  });

  it('of another method is refused alike', async () => {
    const browser = await browserOf();
    for (const method of ['PUT', 'DELETE', 'PATCH'] as const) {
      const headers = { 'sec-fetch-site': 'cross-site' };
      const { status } = await browser.send(method, '/v2/tags/1', { name: 'x' }, headers);
      assert.equal(status, 403, method);
    }
    const bare = { 'content-type': undefined };
    const { status } = await browser.send('POST', '/coffer/undo', undefined, bare);
    assert.equal(status, 403, 'a POST without a body');
  });

  it('of a file needs the header of uploads', async () => {
    const browser = await browserOf();
    const type = { 'content-type': 'application/octet-stream' };
    const upload = { ...type, 'x-coffer-upload': '1' };
    const send = (headers: Record<string, string>) =>
      browser.send('POST', '/coffer/imports', 'Date,Payee,Amount\n', headers);
    assert.equal((await send(type)).status, 403);
    assert.notEqual((await send(upload)).status, 403);
  });

  it('is not refused for a read', async () => {
    const browser = await browserOf();
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': undefined };
    assert.equal((await browser.send('GET', '/v2/me', undefined, headers)).status, 200);
  });

  it('to sign in is refused from another site, without a cookie too', async () => {
    const sent = { method: 'password', email: 'x@example.org', password: 'x' };
    const headers = { 'sec-fetch-site': 'cross-site' };
    const { status } = await new Browser(app).send('POST', '/coffer/session', sent, headers);
    assert.equal(status, 403);
    const plain = await new Browser(app).send('POST', '/coffer/session', sent, none);
    assert.equal(plain.status, 401, 'a client that is no browser');
  });
});

describe('the Host of a request with a cookie, or to sign in', () => {
  it('may be a name of the service', async () => {
    const known = ['localhost', 'a.localhost:80', '127.0.0.1:1', '[::1]:8080', 'coffer.LAN:8080'];
    for (const host of known) {
      const browser = await browserOf(host);
      assert.equal((await browser.send('GET', '/v2/me')).status, 200, host);
    }
  });

  it('must not be another: 421', async () => {
    const good = await browserOf('localhost');
    const foreign = ['evil.example', 'localhost.evil.example', 'xlocalhost', '127.0.0.1.nip.io'];
    for (const host of foreign) {
      const browser = new Browser(app, host);
      assert.equal((await browser.signIn(engine, book)).status, 421, host);
      assert.equal((await browser.send('GET', '/coffer/session')).status, 421);
      assert.equal((await browser.send('POST', '/coffer/session/passkey')).status, 421);
      browser.cookie = good.cookie;
      assert.equal((await browser.send('GET', '/v2/me')).status, 421);
      const byToken = await browser.send('GET', '/v2/me', undefined, as(ada));
      assert.equal(byToken.status, 200, 'a token');
    }
  });

  it('is set as names without a port', () => {
    assert.deepEqual(parseHostNames(' A.lan, b., ,'), ['a.lan', 'b']);
    for (const text of ['a.lan:8080', 'http://a', 'a/b', '*', 'a b'])
      assert.throws(() => parseHostNames(text), /Not a host name/);
  });
});

it('requests of a session under /coffer/ have a bucket of their own', async () => {
  const made = await makeTestApp({ limit: 1 });
  const browser = new Browser(made.app);
  await browser.signIn(made.engine, made.ada.identity.book);
  const limits = async (url: string) => {
    const { headers } = await browser.send('GET', url);
    return headers['ratelimit-limit'];
  };
  await limits('/coffer/history');
  assert.equal(await limits('/coffer/history'), '200');
  const stranger = new Browser(made.app);
  stranger.cookie = `coffer_8080=${'A'.repeat(43)}`;
  for (let n = 0; n < 2; n += 1) {
    const { status, headers } = await stranger.send('GET', '/coffer/history');
    assert.deepEqual([status, headers['ratelimit-limit']], [401, '600']);
  }
  assert.equal((await browser.send('GET', '/v2/me')).status, 200);
  assert.equal((await browser.send('GET', '/v2/me')).status, 429, 'v2 counts the address');
  await browser.send('DELETE', '/coffer/session');
});
