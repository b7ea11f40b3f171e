import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DatabaseError } from '../../packages/server/src/db/errors.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { CryptoRefreshError } from '../../packages/server/src/resources/crypto/rules.ts';
import { startProviders } from '../service/crypto-providers.ts';
import { checkAnswer, document } from '../service/document-check.ts';
import {
  goodRequest,
  withMissingId,
  type GoodRequest,
  type OperationName,
} from '../service/good-requests.ts';
import type { Answer } from '../service/http-exchange.ts';
import {
  newAddress,
  startService,
  startServiceWith,
  type Service,
} from '../service/started-service.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());

const clock = (): ManualClock => new ManualClock(5_000_000, 1_700_000_000_250_000);

async function startBroken(error: Error): Promise<Service> {
  const fail = (): Promise<never> => Promise.reject(error);
  const faults: Partial<Engine> = { read: fail, readStatement: fail, write: fail };
  const broken = await startServiceWith(clock(), { faults });
  after(() => broken.close());
  return broken;
}

/** A service whose providers fail. */
async function startForsaken(error: CryptoRefreshError): Promise<Service> {
  const read = (): Promise<never> => Promise.reject(error);
  const forsaken = await startServiceWith(clock(), { cryptoReader: { read } });
  await providers.add(forsaken.engine, forsaken.ada, 'ethereum');
  after(() => forsaken.close());
  return forsaken;
}

const faulty = await startBroken(new Error('A fault'));
const busy = await startBroken(new DatabaseError('busy', 'planted'));

const refused = await startForsaken(
  new CryptoRefreshError('refused', 'Coinbase refused the key (401)'),
);
const late = await startForsaken(
  new CryptoRefreshError('timeout', 'The provider of the synced account did not respond in time'),
);

const cryptoId = await providers.add(service.engine, service.ada, 'ethereum');
await service.ask(`/v2/crypto/synced/${cryptoId}/refresh`, { method: 'POST' });

/** How to get each documented status of an operation, from a request that it accepts. */
const provoke: Readonly<Record<string, (request: GoodRequest) => Promise<Answer>>> = {
  200: ({ target, asking }) => service.ask(target, asking),
  201: ({ target, asking }) => service.ask(target, asking),
  204: ({ target, asking }) => service.ask(target, asking),
  304: async ({ target, asking }) => {
    const mark = (await service.ask(target)).lines['etag']![0]!;
    return service.ask(target, { ...asking, headers: ['If-None-Match', mark] });
  },
  400: ({ target, asking }) => service.ask(`${target}?no_such_parameter=1`, asking),
  401: ({ target, asking }) => service.ask(target, { ...asking, as: null }),
  404: (request) => {
    const { target, asking } = withMissingId(request);
    return service.ask(target, asking);
  },
  422: async ({ target, asking }) => service.ask(await withDependents(target), asking),
  429: async ({ target, asking }) => {
    const from = newAddress();
    const asked = Array.from({ length: 100 }, () => service.ask('/v2/me', { from, as: null }));
    await Promise.all(asked);
    return service.ask(target, { ...asking, from });
  },
  500: ({ target, asking }) => faulty.ask(target, { ...asking, as: faulty.ada }),
  502: ({ target, asking }) => refused.ask(target, { ...asking, as: refused.ada }),
  503: ({ target, asking }) => busy.ask(target, { ...asking, as: busy.ada }),
  504: ({ target, asking }) => late.ask(target, { ...asking, as: late.ada }),
};

/** The path of a record of the small book on which others depend, instead of another one. */
async function withDependents(target: string): Promise<string> {
  const [, noun = ''] = /^\/v2\/(tags|categories)\//.exec(target) ?? [];
  const { text } = await service.ask(`/v2/${noun}`);
  const records = JSON.parse(text) as Record<string, { id: number; name: string }[]>;
  const held = records[noun]?.find(({ name }) => ['holiday', 'food'].includes(name));
  return `/v2/${noun}/${held?.id}`;
}

for (const [path, operations] of Object.entries(document.paths)) {
  for (const [word, { responses }] of Object.entries(operations)) {
    test(`every documented response of ${word} ${path} occurs, and is as documented`, async () => {
      const operation: OperationName = `${word.toUpperCase()} /${path.slice(1)}`;
      for (const status of Object.keys(responses)) {
        const request = await goodRequest(service, operation);
        const ask = provoke[status];
        assert.ok(ask, `No request is known for ${status}`);
        const { target, asking } = request;
        assert.equal((await ask(request)).status, Number(status), target);
        if (word !== 'get') continue;
        const head = { target, asking: { ...asking, method: 'HEAD' } };
        assert.equal((await ask(head)).status, Number(status), `HEAD ${target}`);
      }
    });
  }
}

test('an undocumented method is 405, with the documented ones in Allow', async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const { target } = await goodRequest(service, `GET /${path.slice(1)}`);
    // GET of a path for POST is valid, too: its last part is a symbol.
    const ofSymbol = path.endsWith('/refresh') ? ['GET'] : [];
    const documented = Object.keys(operations).map((word) => word.toUpperCase());
    const allowed = new Set([...documented, ...ofSymbol]);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allowed.has(method)) continue;
      const answer = await service.ask(target, { method });
      assert.equal(answer.status, 405, `${method} ${target}`);
      const told = answer.lines['allow']?.[0]?.split(', ') ?? [];
      assert.deepEqual(told.toSorted(), [...allowed, 'HEAD', 'OPTIONS'].toSorted(), target);
    }
  }
});

/** How to get each example of a refusal, by its response and its name. */
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
  'TooManyRequests spent': () => provoke[429]!({ target: '/v2/me', asking: { method: 'GET' } }),
  'InternalServerError fault': () => faulty.ask('/v2/transactions'),
  'BadGateway refused': () => refused.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
  'ServiceUnavailable store': () => busy.ask('/v2/transactions'),
  'GatewayTimeout late': () => late.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
};

test('the examples of refusals in the document are real responses', async () => {
  const { responses } = document.components;
  for (const [place, { content }] of Object.entries(responses)) {
    for (const [name, { value }] of Object.entries(content?.['application/json']?.examples ?? {})) {
      const ask = examples[`${place} ${name}`];
      assert.ok(ask, `No request is known for ${place} ${name}`);
      const answer = withoutWords(place, JSON.parse((await ask()).text));
      assert.deepEqual(answer, withoutWords(place, value), `${place} ${name}`);
    }
  }
});

/** Clients do not compare errMsg for a wrong parameter, only the other keys. */
function withoutWords(place: string, body: unknown): unknown {
  if (place !== 'BadRequest') return body;
  const { message, errors } = body as { message: string; errors: object[] };
  return { message, errors: errors.map((error) => ({ ...error, errMsg: '' })) };
}

test('the served document is the one that responses are checked against', async () => {
  const answer = await service.ask('/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(answer.text), document);
});

test('the check finds undocumented responses', async () => {
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
