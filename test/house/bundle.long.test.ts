import { linkCryptoAccount } from '../../packages/server/src/sync/crypto/actions.ts';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { useStore } from '../service/owners.ts';
import { ask, type Answer } from '../service/ask.ts';
import { withServer } from '../service/server-process.ts';

const inputs = createRequire(import.meta.url)('../../packages/cli/bundle-inputs.cjs') as {
  compare(): 'fresh' | 'touched' | 'stale';
};

/** The set-up before the tests builds the bundle. It is stale when a source file has changed since. */
const skip = inputs.compare() === 'stale' && 'missing: a bundle of the current sources';

/** A request for each part that is loaded when first needed, because a bundle loads parts differently. */
const requests: readonly (readonly [
  what: string,
  target: string,
  holds: (a: Answer) => boolean,
])[] = [
  ['validation', '/v2/me?unknown=1', ({ status }) => status === 400],
  ['metrics', '/metrics', ({ status, text }) => status === 200 && text.includes('coffer_')],
  ['documentation', '/docs', ({ status }) => status === 200],
  ['reader', '/docs/scalar.js', ({ status, text }) => status === 200 && text.length > 1_000_000],
  ['welcome', '/', ({ status }) => status === 200],
  ['transactions', '/v2/transactions', ({ status }) => status === 200],
];

test('the parts that the bundle loads when needed work as from the sources', { skip }, async () => {
  const environment = { ENCRYPTION_KEY: 'ab'.repeat(32) };
  await withServer({ environment }, async ({ server, owner: { token, bookId }, database }) => {
    const account = { provider: 'ethereum', display_name: null } as const;
    const sealed = { ...account, sealed_credentials: new Uint8Array(64) };
    const id = await useStore(database, (store) => linkCryptoAccount(store, bookId, sealed));
    for (const [what, target, holds] of requests) {
      const answer = await ask(server.url + target, { token });
      assert.ok(holds(answer), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    const part = 'Content-Disposition: form-data; name="file"; filename="a.csv"';
    const body = `--B\r\n${part}\r\n\r\nDate,Payee,Amount\n2026-01-02,Shop,-3\n\r\n--B--\r\n`;
    const form = await ask(`${server.url}/coffer/imports`, {
      method: 'POST',
      token,
      headers,
      body,
    });
    assert.equal(form.status, 201, form.text);
    const refresh = `${server.url}/v2/crypto/synced/${id}/refresh`;
    const { status, text } = await ask(refresh, { method: 'POST', token });
    assert.equal(status, 502, text);
    assert.doesNotMatch(server.log(), /Warning/);
  });
});
