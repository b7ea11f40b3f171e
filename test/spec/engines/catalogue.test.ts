import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { catalogue } from '../../../packages/server/src/resources/testing/catalogue.ts';
import { startProviders } from '../../service/crypto-providers.ts';
import { chooseEngine, sqlite } from '../../service/engine.ts';
import { goodRequest } from '../../service/good-requests.ts';
import { missing, startPostgresEngine } from '../../service/postgres-engine.ts';
import { startService } from '../../service/started-service.ts';

/** Sends the request of every operation in the catalogue to a service on the chosen engine. */
async function sendAll(t: TestContext): Promise<void> {
  const providers = await startProviders();
  t.after(() => providers.close());
  const service = await startService(providers.flags, providers.environment);
  t.after(() => service.close());
  const id = await providers.add(service.engine, service.ada, 'ethereum');
  await service.ask(`/v2/crypto/synced/${id}/refresh`, { method: 'POST' });
  for (const { method, declaration } of catalogue)
    await t.test(`${method} ${declaration.path}`, async () => {
      const { target, asking } = await goodRequest(service, declaration.id);
      const { status, text } = await service.ask(target, asking);
      assert.ok(status < 300, `${method} ${target} ${String(asking.body)}: ${status} ${text}`);
      if (method === 'GET' || declaration.v1 === undefined) return;
      // v1 refuses with 200.
      assert.doesNotMatch(text, /^\{"errors?":/, `${target} ${String(asking.body)}`);
    });
}

describe('every operation accepts the request that the catalogue makes from its example', () => {
  test('on SQLite', sendAll);
  test('on PostgreSQL, its limit shared over Redis', { skip: missing }, async (t) => {
    const engine = await startPostgresEngine();
    t.after(() => engine.stop());
    chooseEngine(engine);
    t.after(() => chooseEngine(sqlite));
    await sendAll(t);
  });
});
