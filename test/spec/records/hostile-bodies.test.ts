import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../packages/core/src/testing/length.ts';
import { catalogue } from '../../../packages/server/src/operations/testing/catalogue.ts';
import { startProviders } from '../../service/crypto-providers.ts';
import { goodRequest } from '../../service/good-requests.ts';
import { oddBody, oddlyChanged, oddObject } from '../../service/odd-bodies.ts';
import { withText } from '../../service/signed-in.ts';
import { errorsOf, startService } from '../../service/started-service.ts';
import { withBody, type GoodRequest } from '../../service/json-requests.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
await providers.add(service.engine, service.ada, 'ethereum');

const seed = Number(process.env['COFFER_SPEC_SEED'] ?? 5);

/** Bodies that are odd, and bodies in which a part is; few for operations that have none. */
function bodiesFor({ asking }: GoodRequest): string[] {
  if (typeof asking.body !== 'string') return fc.sample(oddBody, { numRuns: 5, seed });
  const changed = oddlyChanged(JSON.parse(asking.body));
  return [
    ...fc.sample(oddBody, { numRuns: runs(60), seed }),
    ...fc.sample(changed, { numRuns: runs(60), seed }),
  ];
}

/** Below it are the operations of a webhook. A book can have 20 of them, and only a DELETE uses one up. */
const webhookPath = '/coffer/webhooks/{id}';

for (const { method, declaration } of catalogue.filter((each) => each.method !== 'GET'))
  test(`${method} ${declaration.path}: any body gets a documented response, never 500`, async () => {
    let isRefused = false;
    let request = await goodRequest(service, declaration.id);
    for (const body of bodiesFor(request)) {
      const answer = await service.ask(request.target, withText(request, body).asking);
      // Attachments are not JSON. v1 refuses with other statuses.
      isRefused ||= [400, 415].includes(answer.status) || /^\{"errors?":/.test(answer.text);
      assert.ok(answer.status < 500, `${answer.status} for ${body.slice(0, 300)}`);
      // The record may have changed, or be gone.
      if (answer.status < 300 && (method === 'DELETE' || !declaration.path.startsWith(webhookPath)))
        request = await goodRequest(service, declaration.id);
    }
    assert.ok(isRefused, 'No body was refused');
  });

test('accepted records are returned as stored, and lists stay valid', async () => {
  for (const body of fc.sample(oddObject, { numRuns: runs(60), seed: seed + 1 })) {
    for (const path of ['/v2/tags', '/v2/categories'] as const) {
      const posted = { target: path, asking: withBody('POST', {}) };
      const answer = await service.ask(path, withText(posted, body).asking);
      if (answer.status !== 201) continue;
      const { id } = JSON.parse(answer.text) as { id: number };
      const stored = await service.ask(`${path}/${id}`);
      assert.deepEqual(JSON.parse(stored.text), JSON.parse(answer.text), body.slice(0, 300));
      const list = await service.ask(path);
      assert.equal(list.status, 200);
      assert.ok(list.text.includes(`{"id":${id},`), body.slice(0, 300));
    }
  }
});

test('an invalid id in the path is 400, an unknown one 404, never 500', async () => {
  const unknown = '0 -1 999999 9999999999999 9007199254740991'.split(' ');
  const odd = '1.5 1.0 1e3 +1 01 0x1 abc null %20 %00 %27 %D9%A5 9007199254740992'.split(' ');
  for (const path of ['/v2/tags/', '/v2/categories/', '/v2/transactions/'])
    for (const method of ['GET', 'PUT', 'DELETE'])
      for (const id of [...unknown, ...odd, '1'.repeat(2000)]) {
        const body = method === 'PUT' ? withBody(method, {}) : {};
        const answer = await service.ask(`${path}${id}`, { method, ...body });
        const place = `${method} ${path}${id.slice(0, 20)}`;
        assert.equal(answer.status, unknown.includes(id) ? 404 : 400, place);
        if (answer.status === 400)
          assert.equal(errorsOf(answer).errors[0]?.['instancePath'], '/path/id', place);
      }
});
