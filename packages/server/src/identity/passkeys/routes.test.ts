import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { row, run } from '../../db/engine.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { Browser, type Received } from '../sessions/testing/browser.ts';
import type { Passkey } from './routes.ts';
import { Authenticator, type Deviation } from './testing/authenticator.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const test = await makeTestApp();
const { app, engine, clock, ada, ben } = test;
after(() => app.close());

const origin = 'http://localhost:8080';

type Begun = Readonly<{ challenge_id: string; options: Record<string, unknown> }>;

async function browserOf(user = ada): Promise<Browser> {
  const browser = new Browser(app);
  await browser.signIn(engine, user.identity.book);
  return browser;
}

async function begin(browser: Browser, url: string): Promise<Begun> {
  const { status, body } = await browser.send<Begun>('POST', url);
  assert.equal(status, 200);
  return body;
}

async function register(
  authenticator: Authenticator,
  { browser, deviation }: { readonly browser: Browser; readonly deviation?: Deviation },
): Promise<Received<Passkey>> {
  const { challenge_id, options } = await begin(browser, '/coffer/passkeys/options');
  const credential = authenticator.create(options, deviation);
  return browser.send('POST', '/coffer/passkeys', { challenge_id, credential, name: 'Laptop' });
}

async function registered(user = ada): Promise<{ authenticator: Authenticator; passkey: Passkey }> {
  const authenticator = new Authenticator(origin);
  const { status, body } = await register(authenticator, { browser: await browserOf(user) });
  assert.equal(status, 201);
  return { authenticator, passkey: body };
}

async function signIn(
  authenticator: Authenticator,
  deviation: Deviation = {},
  browser = new Browser(app),
): Promise<Received> {
  const { challenge_id, options } = await begin(browser, '/coffer/session/passkey');
  const credential = authenticator.get(options, deviation);
  return browser.send('POST', '/coffer/session', { method: 'passkey', challenge_id, credential });
}

describe('a passkey', () => {
  it('is added, listed, signs in and is removed', async () => {
    const { authenticator, passkey } = await registered(ben);
    assert.deepEqual([passkey.name, passkey.host], ['Laptop', 'localhost']);
    const browser = new Browser(app);
    assert.equal((await signIn(authenticator, {}, browser)).status, 201);
    const me = await browser.send<{ id: number }>('GET', '/v2/me');
    assert.equal(me.body.id, ben.identity.user.id);
    const { body } = await browser.send<{ passkeys: Passkey[] }>('GET', '/coffer/passkeys');
    assert.deepEqual(body.passkeys.length, 1);
    assert.notEqual(body.passkeys[0]?.last_used_at, null);
    const url = `/coffer/passkeys/${passkey.id}`;
    assert.equal((await (await browserOf(ada)).send('DELETE', url)).status, 404, 'of another');
    assert.equal(await browser.status('DELETE', url), 204);
    assert.equal((await signIn(authenticator)).status, 401);
  });

  it('is added only in the first 15 minutes of a session, however it began', async () => {
    const { authenticator } = await registered();
    const browser = new Browser(app);
    await signIn(authenticator, {}, browser);
    const options = () => browser.send<{ errors: object[] }>('POST', '/coffer/passkeys/options');
    clock.advance(15 * 60_000 - 1);
    assert.equal((await options()).status, 200);
    clock.advance(1);
    const late = await options();
    assert.equal(late.status, 403);
    assert.match(JSON.stringify(late.body.errors), /Sign in again to add a passkey/);
    await signIn(authenticator, {}, browser);
    assert.equal((await options()).status, 200);
    clock.advance(-24 * 60 * 60_000);
    assert.equal((await options()).status, 403, 'a clock that went back');
    clock.advance(24 * 60 * 60_000);
  });

  it('is asked for with a verified user, on this host, and not twice', async () => {
    const browser = await browserOf();
    const { authenticator } = await registered();
    const { options } = await begin(browser, '/coffer/passkeys/options');
    assert.deepEqual((options['rp'] as { id: string }).id, 'localhost');
    const known = options['excludeCredentials'] as readonly { id: string }[];
    assert.ok(known.some(({ id }) => id === authenticator.id));
    const { userVerification } = options['authenticatorSelection'] as Record<string, unknown>;
    assert.equal(userVerification, 'required');
    const again = await register(authenticator, { browser });
    assert.equal(again.status, 400);
  });

  for (const [what, deviation] of Object.entries({
    'for another site': { origin: 'http://evil.example' },
    'for another port': { origin: 'http://localhost:9090' },
    'for another host': { host: 'evil.example' },
    'of another ceremony': { type: 'webauthn.payment' },
    'with another challenge': { challenge: 'AAAA' },
    'without a verified user': { flags: 0x01 },
    'without a user': { flags: 0x00 },
  } satisfies Record<string, Deviation>))
    it(`${what} is not added, and does not sign in`, async () => {
      const browser = await browserOf();
      const added = await register(new Authenticator(origin), { browser, deviation });
      assert.equal(added.status, 400);
      const { authenticator } = await registered();
      assert.equal((await signIn(authenticator, deviation)).status, 401);
      assert.equal((await signIn(authenticator)).status, 201, 'but does afterwards');
    });

  it('with a signature of another key, or of another passkey, does not sign in', async () => {
    const [{ authenticator }, other] = [await registered(), await registered(ben)];
    assert.equal((await signIn(authenticator, { isForged: true })).status, 401);
    assert.equal((await signIn(authenticator, { id: other.authenticator.id })).status, 401);
    assert.equal((await signIn(new Authenticator(origin))).status, 401, 'unknown');
  });

  it('that counts does not sign in with a count that was used: it may be a copy', async () => {
    const { authenticator } = await registered();
    assert.equal((await signIn(authenticator, { counter: 7 })).status, 201);
    assert.equal((await signIn(authenticator, { counter: 7 })).status, 401);
    assert.equal((await signIn(authenticator, { counter: 6 })).status, 401);
    assert.equal((await signIn(authenticator, { counter: 8 })).status, 201);
    const both = await Promise.all([9, 9].map((counter) => signIn(authenticator, { counter })));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 401]);
  });
});

describe('a challenge', () => {
  it('works once, also when what was signed is not valid', async () => {
    const { authenticator } = await registered();
    const browser = new Browser(app);
    const send = async ({ challenge_id, options }: Begun, deviation: Deviation = {}) => {
      const credential = authenticator.get(options, deviation);
      const body = { method: 'passkey', challenge_id, credential };
      return await browser.status('POST', '/coffer/session', body);
    };
    const used = await begin(browser, '/coffer/session/passkey');
    assert.equal(await send(used), 201);
    assert.equal(await send(used), 401);
    const failed = await begin(browser, '/coffer/session/passkey');
    assert.equal(await send(failed, { isForged: true }), 401);
    assert.equal(await send(failed), 401);
    const many = await begin(browser, '/coffer/session/passkey');
    const statuses = await Promise.all([send(many), send(many), send(many)]);
    assert.deepEqual(statuses.toSorted(), [201, 401, 401]);
  });

  it('works for 5 minutes', async () => {
    const { authenticator } = await registered();
    const browser = new Browser(app);
    const { challenge_id, options } = await begin(browser, '/coffer/session/passkey');
    clock.advance(5 * 60_000);
    const body = { method: 'passkey', challenge_id, credential: authenticator.get(options) };
    assert.equal(await browser.status('POST', '/coffer/session', body), 401);
    const next = await begin(browser, '/coffer/session/passkey');
    clock.setWallForward(-86_400_000);
    const credential = authenticator.get(next.options);
    const early = { challenge_id: next.challenge_id, method: 'passkey', credential };
    assert.equal(
      await browser.status('POST', '/coffer/session', early),
      401,
      'the clock went back',
    );
    clock.setWallForward(86_400_000);
  });

  it('for a new passkey is only for its user, and not for signing in', async () => {
    const { authenticator } = await registered();
    const [own, other] = [await browserOf(), await browserOf(ben)];
    const made = new Authenticator(origin);
    const begun = await begin(own, '/coffer/passkeys/options');
    const credential = made.create(begun.options);
    const body = { challenge_id: begun.challenge_id, credential, name: 'Phone' };
    assert.equal(await other.status('POST', '/coffer/passkeys', body), 400);
    const next = await begin(own, '/coffer/passkeys/options');
    const sent = { method: 'passkey', challenge_id: next.challenge_id };
    const signed = { ...sent, credential: authenticator.get(next.options) };
    assert.equal(await own.status('POST', '/coffer/session', signed), 401);
  });

  it('is not made for an IP address', async () => {
    for (const host of ['127.0.0.1:8080', '[::1]:8080']) {
      const browser = new Browser(app, host);
      await browser.signIn(engine, ada.identity.book);
      assert.equal(await browser.status('POST', '/coffer/session/passkey'), 400, host);
      assert.equal(await browser.status('POST', '/coffer/passkeys/options'), 400, host);
    }
  });
});

it('challenges of nobody are bounded: the newest are kept', async () => {
  const authenticator = new Authenticator(origin);
  const browser = await browserOf();
  const own = await begin(browser, '/coffer/passkeys/options');
  const old = await begin(new Browser(app), '/coffer/session/passkey');
  const countOf = () =>
    engine.read(() => row<{ n: number }>(sql`SELECT count(*) AS n FROM passkey_challenges`));
  const before = (await countOf())!.n;
  await engine.write(() =>
    run(sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
      INSERT INTO passkey_challenges (challenge, user_id, expires_at)
      SELECT randomblob(32), NULL, '2999-01-01T00:00:00.000Z' FROM numbers`),
  );
  const latest = await begin(new Browser(app), '/coffer/session/passkey');
  const kept = (await countOf())!.n;
  assert.ok(before > 1 && kept >= 10_000 && kept < before + 10_000, `${before}, then ${kept}`);
  const { challenge_id, options } = own;
  const body = { challenge_id, credential: authenticator.create(options, {}), name: 'Laptop' };
  assert.equal((await browser.send('POST', '/coffer/passkeys', body)).status, 201, 'of a user');
  for (const [begun, status] of [
    [old, 401],
    [latest, 201],
  ] as const) {
    const credential = authenticator.get(begun.options, {});
    const sent = { method: 'passkey', challenge_id: begun.challenge_id, credential };
    assert.equal(await new Browser(app).status('POST', '/coffer/session', sent), status);
  }
});

it('hostile credentials do not sign in', async () => {
  const { authenticator } = await registered();
  const parts = ['id', 'rawId', 'type', 'response', 'clientExtensionResults'];
  const values = fc.oneof(fc.jsonValue(), fc.constant(authenticator.id), fc.base64String());
  const response = fc.dictionary(
    fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature', 'attestationObject'),
    values,
  );
  const hostile = fc
    .tuple(fc.dictionary(fc.constantFrom(...parts), values), response)
    .map(([credential, inner]) => ({ type: 'public-key', ...credential, response: inner }));
  await fc.assert(
    fc.asyncProperty(hostile, async (credential) => {
      const { challenge_id } = await begin(new Browser(app), '/coffer/session/passkey');
      const body = { method: 'passkey', challenge_id, credential };
      assert.equal(await new Browser(app).status('POST', '/coffer/session', body), 401);
    }),
    { numRuns: runs(50) },
  );
});
