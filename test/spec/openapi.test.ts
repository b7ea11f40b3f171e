import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Store } from '../../packages/server/src/main.ts';
import { CryptoRefreshError } from '../../packages/server/src/records/crypto.ts';
import { startProviders } from './crypto-providers.ts';
import { checkAnswer, document } from './document-check.ts';
import type { Answer } from './http-exchange.ts';
import { newAddress, startService, startServiceWith, type Service } from './started-service.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());

const clock = (): ManualClock => new ManualClock(5_000_000, 1_700_000_000_250_000);

async function startBroken(error: Error): Promise<Service> {
  const names = ['listTransactions', 'getTransaction', 'listCategories', 'authenticate'] as const;
  const fail = (): Promise<never> => Promise.reject(error);
  const faults: Partial<Store> = Object.fromEntries(names.map((name) => [name, fail]));
  const broken = await startServiceWith(clock(), faults);
  after(() => broken.close());
  return broken;
}

/** A service whose providers fail. */
async function startForsaken(error: CryptoRefreshError): Promise<Service> {
  const forsaken = await startServiceWith(clock(), {}, () => Promise.reject(error));
  after(() => forsaken.close());
  return forsaken;
}

const faulty = await startBroken(new Error('A fault'));
const busy = await startBroken(Object.assign(new Error('Busy'), { code: 'SQLITE_BUSY' }));

const refused = await startForsaken(
  new CryptoRefreshError('refused', 'Coinbase does not take the key of this account'),
);
const late = await startForsaken(
  new CryptoRefreshError('timeout', 'The provider of the synced account did not answer in time'),
);

const cryptoId = await providers.add(service.store, service.ada, 'ethereum');
const firstRow = (await service.list('limit=1')).transactions[0]!.id;

/** A target of every documented path that is answered with 200. */
async function targetOf(path: string): Promise<string> {
  if (path.startsWith('/v2/crypto/')) {
    await service.ask(`/v2/crypto/synced/${cryptoId}/refresh`, { method: 'POST' });
    return path.replace('{id}', String(cryptoId)).replace('{symbol}', 'eth');
  }
  if (path === '/v2/transactions/{id}') return path.replace('{id}', String(firstRow));
  if (path !== '/v2/categories/{id}') return path;
  const { text } = await service.ask('/v2/categories');
  const { categories } = JSON.parse(text) as { categories: { id: number }[] };
  return path.replace('{id}', String(categories[0]!.id));
}

/** How each documented status of an operation comes about. */
const provoke: Readonly<Record<string, (target: string, method: string) => Promise<Answer>>> = {
  200: (target, method) => service.ask(target, { method }),
  304: async (target, method) => {
    const mark = (await service.ask(target)).lines['etag']![0]!;
    return service.ask(target, { method, headers: ['If-None-Match', mark] });
  },
  400: (target, method) => service.ask(`${target}?no_such_parameter=1`, { method }),
  401: (target, method) => service.ask(target, { method, as: null }),
  404: (target, method) => service.ask(target.replace(/\/\d+/, '/87654321'), { method }),
  429: async (target, method) => {
    const from = newAddress();
    const asking = { from, as: null, method };
    await Promise.all(Array.from({ length: 100 }, () => service.ask(target, asking)));
    return service.ask(target, { from, method });
  },
  500: (target, method) => faulty.ask(target, { method }),
  502: (target, method) => refused.ask(target, { method }),
  503: (target, method) => busy.ask(target, { method }),
  504: (target, method) => late.ask(target, { method }),
};

for (const [path, operations] of Object.entries(document.paths)) {
  for (const [method, { responses }] of Object.entries(operations)) {
    test(`every answer that the document has for ${method} ${path} can be had, and is as it says`, async () => {
      const target = await targetOf(path);
      for (const status of Object.keys(responses)) {
        const ask = provoke[status];
        assert.ok(ask, `Nothing is known to bring about ${status}`);
        assert.equal((await ask(target, method.toUpperCase())).status, Number(status), target);
        if (method !== 'get') continue;
        assert.equal((await ask(target, 'HEAD')).status, Number(status), `HEAD ${target}`);
      }
    });
  }
}

test('a method that the document does not have is 405, with Allow for those that it has', async () => {
  for (const path of Object.keys(document.paths)) {
    const target = await targetOf(path);
    // What is posted to, a client may also try to get: it is the place of a symbol.
    const allowed = target.endsWith('/refresh') ? ['GET', 'POST'] : ['GET'];
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allowed.includes(method)) continue;
      const answer = await service.ask(target, { method });
      assert.equal(answer.status, 405, `${method} ${target}`);
      const more = allowed.includes('POST') ? ', POST' : '';
      assert.deepEqual(answer.lines['allow'], [`GET, HEAD, OPTIONS${more}`]);
    }
  }
});

/** How each example of a refusal comes about, by the answer that it stands at and its name there. */
const examples: Readonly<Record<string, () => Promise<Answer>>> = {
  'BadRequest outOfBounds': () => service.ask('/v2/transactions?limit=2001'),
  'BadRequest unknownParameter': () => service.ask('/v2/transactions?strat_date=2026-01-01'),
  'Unauthorized noToken': () => service.ask('/v2/me', { as: null }),
  'Unauthorized deadToken': () => service.ask('/v2/me', { as: { ...service.ada, token: 'x' } }),
  'NotFound transaction': () => service.ask('/v2/transactions/543210'),
  'NotFound category': () => service.ask('/v2/categories/543210'),
  'NotFound cryptoAccount': () => service.ask('/v2/crypto/synced/543210'),
  'NotFound cryptoBalance': async () => {
    const answer = await service.ask(`/v2/crypto/synced/${cryptoId}/doge`);
    return { ...answer, text: answer.text.replace(/\d+(?=\.")/, '543210') };
  },
  'TooManyRequests spent': () => provoke[429]!('/v2/me', 'GET'),
  'InternalServerError fault': () => faulty.ask('/v2/transactions'),
  'BadGateway refused': () => refused.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
  'ServiceUnavailable store': () => busy.ask('/v2/transactions'),
  'GatewayTimeout late': () => late.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
};

test('the examples of refusals in the document are answers of the service', async () => {
  const { responses } = document.components;
  for (const [place, { content }] of Object.entries(responses)) {
    for (const [name, { value }] of Object.entries(content?.['application/json']?.examples ?? {})) {
      const ask = examples[`${place} ${name}`];
      assert.ok(ask, `Nothing is known to bring about ${place} ${name}`);
      const answer = withoutWords(place, JSON.parse((await ask()).text));
      assert.deepEqual(answer, withoutWords(place, value), `${place} ${name}`);
    }
  }
});

/** What a wrong parameter is told in words is nobody's to compare; the keys beside the words are. */
function withoutWords(place: string, body: unknown): unknown {
  if (place !== 'BadRequest') return body;
  const { message, errors } = body as { message: string; errors: object[] };
  return { message, errors: errors.map((error) => ({ ...error, errMsg: '' })) };
}

test('the document that is served is the one that answers are held against', async () => {
  const answer = await service.ask('/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(answer.text), document);
});

test('the check bites: answers that the document does not have are found', async () => {
  const good = await service.ask('/v2/me');
  const without = (name: string): Answer => ({
    ...good,
    lines: Object.fromEntries(Object.entries(good.lines).filter(([key]) => key !== name)),
  });
  const withText = (text: string): Answer => ({
    ...good,
    lines: { ...good.lines, 'content-length': [String(Buffer.byteLength(text))] },
    text,
  });
  checkAnswer('GET', '/v2/me', good);
  for (const bad of [
    { ...good, status: 201 },
    without('etag'),
    without('ratelimit-reset'),
    without('x-content-type-options'),
    { ...good, lines: { ...good.lines, 'retry-after': ['1'] } },
    { ...good, lines: { ...good.lines, 'ratelimit-limit': ['100', '100'] } },
    { ...good, lines: { ...good.lines, 'x-ratelimit-remaining': ['7'] } },
    { ...good, lines: { ...good.lines, 'content-type': ['text/html'] } },
    withText('{}'),
    withText(good.text.replace('{', '{"more":1,')),
    withText(good.text.replace('"eur"', '"euro"')),
  ]) {
    assert.throws(() => checkAnswer('GET', '/v2/me', bad));
  }
});
