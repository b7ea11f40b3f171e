import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usualEngines } from '../../db/testing/engines.ts';
import { as, makeTestApp, testServices } from '../../http/testing/test-app.ts';
import { noPrivateTargets, type PrivateTargets } from '../../outside/guarded-request.ts';
import { loopbackTargets } from '../../webhooks/testing/receiver.ts';
import { startSimplefinServer } from '../testing/simplefin-server.ts';
import { createBankReader } from './bank-reader.ts';
import { mostConnections } from './schema.ts';

const bridge = await startSimplefinServer();
after(() => bridge.close());
const encryptionKey = Buffer.alloc(32, 7);
const all = '/coffer/connections';

interface Account {
  readonly id: number;
  readonly status: string;
}

/** What responses have; each has some of it. */
interface Body extends Account {
  readonly name: string;
  readonly last_read: string | null;
  readonly added: number;
  readonly changed: number;
  readonly withdrawn: number;
  readonly connection: { readonly problems: string[]; readonly accounts: [Account] };
  readonly connections: object[];
  readonly errors: [{ readonly reason?: string; readonly invalid_property?: string }];
}

/** A service whose users can add connections to bridges of this machine. */
async function newService(
  privateTargets: PrivateTargets = loopbackTargets,
  open = usualEngines[0]!.open,
) {
  const opened = await open();
  const options = { encryptionKey, isSetupAllowed: true, privateTargets };
  const services = { ...testServices(Date.now), bankReader: createBankReader(options) };
  const { app, ada, ben } = await makeTestApp({ services, opened });
  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    payload?: object,
    by = ada,
  ) => {
    const sent = payload === undefined ? {} : { payload };
    const { statusCode, payload: text } = await app.inject({
      method,
      url,
      headers: as(by),
      ...sent,
    });
    return { status: statusCode, text, body: (text === '' ? {} : JSON.parse(text)) as Body };
  };
  return { send, ben };
}

for (const { name, skip, open } of usualEngines)
  test(
    `a connection is added, read, shown without its secret, and removed: ${name}`,
    { skip },
    async () => {
      const { send, ben } = await newService(loopbackTargets, open);
      const posted = Math.floor(Date.now() / 86_400_000) * 86_400;
      bridge.setAccounts([
        {
          id: 'A',
          name: 'Checking (1234)',
          currency: 'EUR',
          balance: '100.50',
          transactions: [{ id: 't1', posted, amount: '-12.30', description: 'Baker' }],
        },
      ]);
      bridge.setErrors(['Test Bank: sign in again']);
      const setup_token = bridge.newToken();
      const { status, body: made } = await send('POST', all, { setup_token, name: ' My bank ' });
      assert.equal(status, 201, JSON.stringify(made));
      assert.deepEqual([made.name, made.status, made.last_read], ['My bank', 'active', null]);
      const one = `${all}/${made.id}`;
      assert.equal((await send('POST', `${one}/read`, undefined, ben)).status, 404);
      const { body: read } = await send('POST', `${one}/read`);
      assert.deepEqual([read.added, read.changed, read.withdrawn], [1, 0, 0]);
      assert.deepEqual(read.connection.problems, ['Test Bank: sign in again']);
      const [{ id, ...account }] = read.connection.accounts;
      const shown = { name: 'Checking (1234)', institution_name: 'Test Bank', status: 'active' };
      assert.deepEqual(account, shown);
      assert.equal((await send('POST', `${one}/read`)).status, 425);
      const listed = await send('GET', all);
      assert.deepEqual(listed.body, { setup: 'on', connections: [read.connection] });
      assert.doesNotMatch(listed.text, /p@ss|p%40ss|sealed/);
      assert.deepEqual((await send('GET', all, undefined, ben)).body.connections, []);
      const again = await send('POST', all, { setup_token });
      assert.deepEqual([again.status, again.body.errors[0].reason], [502, 'refused']);
      assert.equal((await send('DELETE', one, undefined, ben)).status, 404);
      assert.equal((await send('DELETE', one)).status, 204);
      assert.deepEqual((await send('GET', all)).body.connections, []);
      const { body: kept } = await send('GET', `/v2/plaid_accounts/${id}`);
      assert.equal(kept.status, 'revoked');
      bridge.setErrors([]);
    },
  );

test('what is no setup token, a bridge in a private network, and too many are refused', async () => {
  const { send } = await newService();
  for (const setup_token of ['x', Buffer.from('http://bank.example/').toString('base64')]) {
    const { status, body, text } = await send('POST', all, { setup_token });
    assert.deepEqual([status, body.errors[0].invalid_property], [400, 'setup_token'], text);
    assert.doesNotMatch(text, /bank\.example/);
  }
  for (let n = 0; n < mostConnections; n += 1)
    assert.equal((await send('POST', all, { setup_token: bridge.newToken() })).status, 201);
  const { status, text } = await send('POST', all, { setup_token: bridge.newToken() });
  assert.deepEqual([status, text.includes('at most 20')], [400, true]);

  const guarded = await newService(noPrivateTargets);
  const calls = bridge.calls.length;
  const refused = await guarded.send('POST', all, { setup_token: bridge.newToken() });
  assert.equal(refused.status, 502);
  assert.match(refused.text, /private network, which WEBHOOK_PRIVATE_TARGETS does not allow/);
  assert.equal(bridge.calls.length, calls);
});
