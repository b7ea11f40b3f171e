import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { run } from '../../packages/server/src/db/engine.ts';
import { DatabaseError } from '../../packages/server/src/db/errors.ts';
import { vendorProblems } from '../../packages/server/src/http/testing/vendor-document.ts';
import { CryptoRefreshError } from '../../packages/server/src/resources/crypto/rules.ts';
import { startProviders } from '../service/crypto-providers.ts';
import {
  checkAnswer,
  cofferDocument,
  document,
  documents,
  responseOf,
  templatesOf,
} from '../service/document-check.ts';
import { startBroken, startForsaken, startHolding } from '../service/failing-services.ts';
import {
  goodRequest,
  idOf,
  malformed,
  newName,
  operationNames,
  otherRequest,
  withBody,
  withMissingId,
  type GoodRequest,
  type OperationName,
} from '../service/good-requests.ts';
import type { Answer } from '../service/http-exchange.ts';
import { undoRefusals } from '../service/undo-refusals.ts';
import { importRefusals, importStatuses } from '../service/previews.ts';
import { forbidden, misdirected, unauthorized } from '../service/signed-in.ts';
import { pruneAll, recurringBody } from '../service/made-records.ts';
import { refusalsV1, statusesV1 } from '../service/refusals-v1.ts';
import { webhookRefusals, webhookStatuses } from '../service/webhooks.ts';
import { addUser, newAddress, startService, type Service } from '../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());

async function closedAfter<S extends Service>(starting: Promise<S>): Promise<S> {
  const started = await starting;
  after(() => started.close());
  return started;
}

const limits = { rateLimit: '100/24h', cofferRateLimit: '100/24h' };
const service = await closedAfter(
  startService({ ...providers.flags, ...limits }, providers.environment),
);
const faulty = await closedAfter(startBroken(new Error('A fault')));
const busy = await closedAfter(startBroken(new DatabaseError('busy', 'planted')));
const failed = {
  refused: new CryptoRefreshError('refused', 'Coinbase refused the key (401)'),
  late: new CryptoRefreshError(
    'timeout',
    'The provider of the synced account did not respond in time',
  ),
};
const refused = await closedAfter(startForsaken(providers, failed.refused));
const late = await closedAfter(startForsaken(providers, failed.late));
const holding = await closedAfter(startHolding(providers));

const cryptoId = await providers.add(service.engine, service.ada, 'ethereum');
await service.ask(`/v2/crypto/synced/${cryptoId}/refresh`, { method: 'POST' });

type Ask = (request: GoodRequest, operation: OperationName) => Promise<Answer>;

const send: Ask = ({ target, asking }) => service.ask(target, asking);

/** Responses that depend on more than the book, so that only `*` matches. */
const unmarked = [
  ...['/v2/cryptocurrencies', '/v2/transactions/attachments/', '/coffer/imports'],
  ...['/coffer/history', '/coffer/transactions/', '/coffer/changes', '/coffer/webhooks'],
  ...['/coffer/sessions', '/coffer/passkeys', '/coffer/tokens'],
];

/** How to get each documented status of an operation, from a request that it accepts. */
const provoke: Readonly<Record<string, Ask>> = {
  ...{ 200: send, 201: send, 202: send, 204: send },
  304: async ({ target, asking }) => {
    const mark = (await service.ask(target, asking)).lines['etag']![0]!;
    const known = unmarked.some((each) => target.startsWith(each)) ? '*' : mark;
    const headers = [...(asking.headers ?? []), 'If-None-Match', known];
    return service.ask(target, { ...asking, headers });
  },
  400: (request, operation) => send(malformed(request, operation), operation),
  401: (request, operation) => send(unauthorized(service, request), operation),
  403: (request, operation) => send(forbidden(service, request), operation),
  421: (request, operation) => send(misdirected(service, request), operation),
  404: (request, operation) => send(withMissingId(request), operation),
  409: async (_, operation) =>
    holding.repeatTooSoon(await goodRequest(holding, operation, holding.ada)),
  410: async (_, operation) => {
    const user = await addUser(service.engine, newName().replace(' ', '-'));
    const request = await goodRequest(service, operation, user);
    await pruneAll(service.engine, user);
    return send(request, operation);
  },
  422: (request, operation) => (refusals[operation] ?? reuseKey)(request, operation),
  425: async (request, operation) => {
    await send(request, operation);
    return send(request, operation);
  },
  429: async ({ target, asking }) =>
    service.ask(target, { ...asking, from: await spentAddress(target) }),
  500: ({ target, asking }) => faulty.ask(target, { ...asking, as: faulty.ada }),
  502: (_, operation) => askForsaken(refused, operation),
  503: ({ target, asking }) => busy.ask(target, { ...asking, as: busy.ada }),
  504: (_, operation) => askForsaken(late, operation),
};

/** Sends a request to a book whose log has no version before 340. */
async function askPruned(target: string): Promise<Answer> {
  const as = await addUser(service.engine, newName().replace(' ', '-'));
  await service.engine.write(() =>
    run(sql`UPDATE books SET pruned_version = 339 WHERE id = ${as.bookId}`),
  );
  return service.ask(target, { as });
}

async function askForsaken(forsaken: Service, operation: OperationName): Promise<Answer> {
  const { target, asking } = await goodRequest(forsaken, operation);
  return forsaken.ask(target, asking);
}

const spent = new Map<string, string>();

/** Returns an address whose quota for the path has no requests left. */
async function spentAddress(target: string): Promise<string> {
  const [prefix = ''] = /^\/\w+\//.exec(target) ?? [];
  const from = spent.get(prefix) ?? newAddress();
  spent.set(prefix, from);
  while ((await service.ask(`${prefix}none`, { from, as: null })).status !== 429);
  return from;
}

/** Sends two different requests with one Idempotency-Key. */
const reuseKey: Ask = async (request, operation) => {
  const headers = ['Idempotency-Key', newName()];
  for (const { target, asking } of [request, await otherRequest(service, request, operation)]) {
    const answer = await service.ask(target, {
      ...asking,
      headers: [...(asking.headers ?? []), ...headers],
    });
    if (answer.status >= 300) return answer;
  }
  throw new Error(`${operation} accepted both requests`);
};

async function make(path: string, body: unknown): Promise<number> {
  return idOf(await service.ask(path, withBody('POST', body)));
}

async function removeNamed(noun: string, wanted: string): Promise<Answer> {
  const records = JSON.parse((await service.ask(`/v2/${noun}`)).text) as Record<
    string,
    { id: number; name: string }[]
  >;
  const held = records[noun]?.find(({ name }) => name === wanted);
  return service.ask(`/v2/${noun}/${held?.id}`, { method: 'DELETE' });
}

const coingecko = 'https://www.coingecko.com/en/coins';

/** How to get the operations' own refusals: the records have dependents or a history, or exist already. */
const refusals: Readonly<Record<string, () => Promise<Answer>>> = {
  'DELETE /v2/tags/{id}': () => removeNamed('tags', 'holiday'),
  'DELETE /v2/categories/{id}': () => removeNamed('categories', 'Home'),
  'DELETE /v2/crypto/manual/{id}': async () => {
    const id = await make('/v2/crypto/manual', { name: newName(), symbol: 'btc', balance: '1' });
    const balances = [{ month: '2025-12', balance: '5', crypto_balance: '1' }];
    const target = `/v2/balance_history/crypto_manual/${id}`;
    assert.equal((await service.ask(target, withBody('PUT', { balances }))).status, 200);
    return service.ask(`/v2/crypto/manual/${id}`, { method: 'DELETE' });
  },
  'DELETE /coffer/recurring_items/{id}': async () => {
    const id = await make('/coffer/recurring_items', recurringBody());
    const row = { date: '2026-01-05', amount: '9.99', payee: newName(), recurring_id: id };
    await service.ask('/v2/transactions', withBody('POST', { transactions: [row] }));
    return service.ask(`/coffer/recurring_items/${id}`, { method: 'DELETE' });
  },
  'POST /v2/cryptocurrencies': () =>
    service.ask(
      '/v2/cryptocurrencies',
      withBody('POST', { coingecko_url: `${coingecko}/bitcoin` }),
    ),
};

const movedPosition = `/coffer/changes?after=${'a'.repeat(32)}.1.2.0.0`;
const changeStatuses: typeof importStatuses = {
  'GET /coffer/changes 410': () => service.ask(movedPosition),
};

const keyless = await closedAfter(startService(limits, { ENCRYPTION_KEY: '' }));

/** A user can request it once a minute. */
const fetching = 'POST /v2/plaid_accounts/fetch';
const signIn = 'POST /coffer/session';

async function newRequest(operation: OperationName): Promise<GoodRequest> {
  const isOnce = operation === fetching;
  const as = isOnce ? await addUser(service.engine, newName().replace(' ', '-')) : service.ada;
  return goodRequest(service, operation, as);
}

for (const { paths } of documents) {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [word, { responses }] of Object.entries(operations)) {
      test(`every documented response of ${word} ${path} occurs, and is as documented`, async () => {
        const operation: OperationName = `${word.toUpperCase()} /${path.slice(1)}`;
        for (const status of Object.keys(responses)) {
          const request = await newRequest(operation);
          const statuses = {
            ...importStatuses,
            ...changeStatuses,
            ...webhookStatuses,
            ...statusesV1,
          };
          const own = statuses[`${operation} ${status}`];
          const ask: Ask | undefined = own === undefined ? provoke[status] : () => own(service);
          assert.ok(ask, `No request is known for ${status}`);
          const { target, asking } = request;
          const answer = await ask(request, operation);
          assert.equal(answer.status, Number(status), `${target}: ${answer.text.slice(0, 500)}`);
          if (word !== 'get') continue;
          const head = { target, asking: { ...asking, method: 'HEAD' } };
          assert.equal((await ask(head, operation)).status, Number(status), `HEAD ${target}`);
        }
      });
    }
  }
}

test('an undocumented method is 405, with the documented ones in Allow', async () => {
  for (const operation of operationNames) {
    const { target } = await goodRequest(service, operation);
    const path = target.split('?', 1)[0]!;
    const documented = documents.flatMap((each) =>
      templatesOf(each, path).flatMap((template) => Object.keys(each.paths[template]!)),
    );
    const allowed = new Set(documented.map((word) => word.toUpperCase()));
    const ofGet = allowed.has('GET') ? ['HEAD'] : [];
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allowed.has(method)) continue;
      const answer = await service.ask(path, { method });
      assert.equal(answer.status, 405, `${method} ${path}`);
      const listed = answer.lines['allow']?.[0]?.split(', ') ?? [];
      assert.deepEqual(listed.toSorted(), [...allowed, ...ofGet, 'OPTIONS'].toSorted(), path);
    }
  }
});

/** How to get each example of a refusal, by its response and its name. */
const examples: Readonly<Record<string, () => Promise<Answer>>> = {
  'BadRequest outOfBounds': () => service.ask('/v2/transactions?limit=2001'),
  'BadRequest unknownParameter': () => service.ask('/v2/transactions?strat_date=2026-01-01'),
  'Unauthorized noToken': () => service.ask('/v2/me', { as: null }),
  'Unauthorized deadToken': () => service.ask('/v2/me', { as: { ...service.ada, token: 'x' } }),
  'Forbidden otherSite': async () => provoke[403]!(await newRequest(signIn), signIn),
  'MisdirectedRequest otherName': async () => provoke[421]!(await newRequest(signIn), signIn),
  'NotFound transaction': () => service.ask('/v2/transactions/543210'),
  'NotFound category': () => service.ask('/v2/categories/543210'),
  'NotFound cryptoAccount': () => service.ask('/v2/crypto/synced/543210'),
  'NotFound cryptoBalance': async () => {
    const answer = await service.ask(`/v2/crypto/synced/${cryptoId}/doge`);
    return { ...answer, text: answer.text.replace(/\d+(?=\.")/, '543210') };
  },
  'Conflict underWay': async () =>
    holding.repeatTooSoon(await goodRequest(holding, 'POST /v2/crypto/manual')),
  'Gone pruned': () => askPruned('/coffer/history/12'),
  'KeyReused otherBody': async () => reuseKey(await newRequest('POST /v2/tags'), 'POST /v2/tags'),
  'TooEarly soon': async () => provoke[425]!(await newRequest(fetching), fetching),
  'TooManyRequests spent': () =>
    provoke[429]!({ target: '/v2/me', asking: { method: 'GET' } }, 'GET /v2/me'),
  'InternalServerError fault': () => faulty.ask('/v2/transactions'),
  'BadGateway refused': () => refused.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
  'ServiceUnavailable store': () => busy.ask('/v2/transactions'),
  'GatewayTimeout late': () => late.ask('/v2/crypto/synced/1/refresh', { method: 'POST' }),
  ...webhookRefusals(service, keyless),
  'getChanges 410 moved': () => service.ask(movedPosition),
  ...Object.fromEntries(
    Object.entries({ ...importRefusals, ...undoRefusals, ...refusalsV1 }).map(([name, ask]) => [
      name,
      () => ask(service),
    ]),
  ),
  'deleteTag 422 tagged': refusals['DELETE /v2/tags/{id}']!,
  'deleteCategory 422 group': refusals['DELETE /v2/categories/{id}']!,
  'deleteCryptoManual 422 history': refusals['DELETE /v2/crypto/manual/{id}']!,
  'deleteRecurringItem 422 linked': refusals['DELETE /coffer/recurring_items/{id}']!,
  'createCryptocurrency 422 known': refusals['POST /v2/cryptocurrencies']!,
  'createCryptocurrency 422 unknown': () =>
    service.ask('/v2/cryptocurrencies', withBody('POST', { coingecko_url: `${coingecko}/xyz` })),
};

interface Example {
  readonly place: string;
  readonly value: unknown;
}

/** The examples of refusals: shared ones by their component, others by operation and status. */
function refusalExamples(): Example[] {
  return documents.flatMap(({ paths, components }) => {
    const own = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, response]) => [`${operationId} ${status}`, response] as const),
      );
    return [...Object.entries(components.responses), ...own].flatMap(([place, response]) => {
      const { content } = response as (typeof components.responses)[string];
      const named = Object.entries(content?.['application/json']?.examples ?? {});
      return named.map(([name, { value }]) => ({ place: `${place} ${name}`, value }));
    });
  });
}

test('the examples of refusals in the documents are real responses', async () => {
  for (const { place, value } of refusalExamples()) {
    const ask = examples[place];
    assert.ok(ask, `No request is known for ${place}`);
    assert.deepEqual(comparable(place, JSON.parse((await ask()).text)), comparable(place, value));
  }
});

/** Clients do not compare errMsg for a wrong parameter; an operation's own refusals count and name other records. */
function comparable(place: string, body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (key === 'errMsg' && place.startsWith('BadRequest')) return '';
    if (key === 'errMsg' && / (409|410) /.test(place)) return String(value).replaceAll(/\d+/g, '');
    if (!/ (409|410|422) /.test(place)) return value;
    return typeof value === 'number' || key.endsWith('_name') ? null : value;
  });
}

test('the examples of successes in the document fit that of the API that we are compatible with', () => {
  let count = 0;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [word, operation] of Object.entries(item)) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        const content = responseOf(document, operation, status)?.content?.['application/json'];
        if (status >= 400) continue;
        for (const [name, { value }] of Object.entries(content?.examples ?? {})) {
          const compared = { method: word.toUpperCase(), target: path, status };
          const problems = vendorProblems({ ...compared, text: JSON.stringify(value) });
          assert.deepEqual(problems, [], `${word} ${path} ${name}`);
          count += 1;
        }
      }
    }
  }
  assert.ok(count > 40, `Only ${count} examples`);
});

test('the served documents are those that responses are checked against', async () => {
  const own = await service.ask('/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(own.text), document);
  const coffer = await service.ask('/coffer/openapi.json', { as: null });
  assert.deepEqual(JSON.parse(coffer.text), cofferDocument);
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
  const settings = await service.ask('/coffer/budget_settings');
  checkAnswer('GET', '/coffer/budget_settings', settings);
  for (const bad of [good, { ...settings, status: 201 }, { ...settings, lines: {} }])
    assert.throws(() => checkAnswer('GET', '/coffer/budget_settings', bad));
});
