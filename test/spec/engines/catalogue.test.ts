import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../../../packages/server/src/operations/testing/catalogue.ts';
import { startProviders } from '../../service/crypto-providers.ts';
import { chooseEngine } from '../../service/engine.ts';
import { goodRequest } from '../../service/good-requests.ts';
import { missing, startPostgresEngine } from '../../service/postgres-engine.ts';
import { startService } from '../../service/started-service.ts';

/* openapi.test.ts sends these requests on SQLite. */
test(
  'every operation accepts the request of the catalogue on PostgreSQL, its limit shared over Redis',
  { skip: missing },
  async (t) => {
    const engine = await startPostgresEngine();
    t.after(() => engine.stop());
    chooseEngine(engine);
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
        // v1 refuses with 200.
        if (method !== 'GET' && declaration.v1 !== undefined)
          assert.doesNotMatch(text, /^\{"errors?":/, `${target} ${String(asking.body)}`);
      });
  },
);
